"""What the documents show is what happens: every fenced block of a kind that means something is tried."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise
from pathlib import Path

import pytest
from processes import start_loaded

from fuzz.cases.store import case_names, read_case
from optimizer.ir.faults import InputError
from optimizer.ir.rows.ops import OPS, Type
from optimizer.ir.text import format_trace, parse
from optimizer.ir.text.declaration_writer import format_declarations
from optimizer.ir.text.declarations import parse_declarations
from optimizer.ir.text.heap_printer import format_heap
from optimizer.ir.text.heap_reader import parse_heap
from optimizer.ir.types.trace_layout import layout_of
from optimizer.pipeline import DEFAULT_PASSES, optimize
from validator import Failargs, Guards, Options, validate
from validator.command.exits import Exit
from validator.processes.guardian import let_go, watch
from validator.tell.report import verdict_json, verdict_name, verdict_text

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
LANGUAGE = ROOT / "docs" / "trace-language.md"
HEAP = ROOT / "docs" / "heap.md"
VERDICTS = ROOT / "docs" / "verdicts.md"
CACHE = ROOT / "docs" / "cache.md"
NIGHTLY = ROOT / "docs" / "nightly.md"
OPTIMIZER = ROOT / "docs" / "your-optimizer.md"
REDUCTION = ROOT / "docs" / "reduction.md"
PYPY_LOGS = ROOT / "docs" / "pypy-logs.md"
FOREIGN = ROOT / "docs" / "foreign-optimizers.md"
COMMANDS = ROOT / "docs" / "commands.md"
PYTHON = ROOT / "docs" / "python.md"
OUR_OPTIMIZER = ROOT / "docs" / "optimizer.md"
ARCHITECTURE = ROOT / "docs" / "architecture.md"
REFERENCE = sorted({*(ROOT / "docs").glob("*.md")} - {ARCHITECTURE, ROOT / "docs" / "performance.md"})
COURSE = sorted((ROOT / "docs" / "course").glob("*.md"))
DOCUMENTS = (README, *REFERENCE, *COURSE)
CORPUS = ROOT / "corpus"


@dataclass(frozen=True, slots=True)
class Block:
    kind: str
    text: str
    line: int

    def __str__(self) -> str:
        return f"line {self.line}"


def blocks(document: Path) -> list[Block]:
    text = document.read_text()
    found = re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [Block(match[1], match[2], text.count("\n", 0, match.start()) + 1) for match in found]


def of_kind(kind: str, *documents: Path) -> list[Block]:
    return [block for document in documents for block in blocks(document) if block.kind == kind]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_block_is_of_a_kind_that_is_tried(document: Path) -> None:
    kinds = {"trace", "before", "after", "wrong", "error", "toml", "console", "python", "output", "sh", "yaml"}
    assert {block.kind for block in blocks(document)} <= kinds
    assert document.read_text().count("```") == 2 * len(blocks(document))


# Traces and declarations.


@pytest.mark.parametrize("block", of_kind("trace", *DOCUMENTS), ids=str)
def test_traces_are_read_printed_and_read_again(block: Block) -> None:
    trace = parse(block.text)
    assert parse(format_trace(trace)) == trace


def test_traces_that_are_said_to_be_the_same() -> None:
    texts = [block.text for block in of_kind("trace", LANGUAGE)]
    hexadecimal = next(i for i, text in enumerate(texts) if "0xffffffffffffff00" in text)
    toy = next(i for i, text in enumerate(texts) if "getarg" in text)
    for first in (hexadecimal, toy):
        assert parse(texts[first]) == parse(texts[first + 1])


@pytest.mark.parametrize("block", of_kind("toml", LANGUAGE, HEAP), ids=str)
def test_declarations_are_read_printed_and_read_again(block: Block) -> None:
    declarations = parse_declarations(block.text)
    assert parse_declarations(format_declarations(declarations)) == declarations


def faulty() -> Iterator[tuple[Block, Block]]:
    found = blocks(LANGUAGE)
    for block, answer in pairwise(found):
        if block.kind == "wrong":
            assert answer.kind == "error", f"{block}: no error follows"
            yield block, answer


@pytest.mark.parametrize(("block", "answer"), list(faulty()), ids=str)
def test_errors_are_those_that_are_shown(block: Block, answer: Block) -> None:
    with pytest.raises(InputError) as caught:
        parse(block.text, file="wrong.trace")
    assert f"{caught.value}\n" == answer.text


def test_the_table_of_operations_is_complete() -> None:
    text = LANGUAGE.read_text()
    for row in OPS.values():
        assert not row.modelled or f"{row.name}(" in text, row.name


def test_the_lines_of_heaps_can_be_read() -> None:
    trace = parse(
        '+++\n[struct.Node.fields]\nvalue = "int"\nnext = "ref"\ntag = "u8"\n[array.Chars]\nitem = "u8"\n'
        '[array.Points.fields]\nx = "int"\ny = "int"\n+++\n[p0]\nsetfield_gc(p0, 1, descr=x)'
    )
    lines = rows(LANGUAGE, "line")
    assert len(lines) > 10
    for line in lines:
        name = line.partition(" = ")[0]
        others = "".join(f"{other} = Node()\n" for other in ("p0", "p1") if other != name)
        heap = parse_heap(others + line, layout_of(trace))
        assert f"{line}\n" in format_heap(heap)


def test_the_tables_of_operations_on_memory_say_what_their_rows_say() -> None:
    told = {}
    for table in (
        "operation on memory",
        "operation on raw memory",
        "operation on bytes",
        "operation on strings",
        "guard",
    ):
        for cell, rest in rows(LANGUAGE, table).items():
            reasons = rest.rpartition("|")[2].strip()
            for form in re.findall(r"(?:r = )?\w+\((?:[^()]|\(\w+\))*\)", cell):
                result, name, args = re.fullmatch(r"(r = )?(\w+)\((.*)\)", form).groups()  # type: ignore[union-attr]  # None fails the test
                told[name] = (result is not None, len(args.split(", ")) if args else 0, reasons)
    expected = {
        row.name: (
            row.result is not Type.VOID,
            len(row.args),
            "; ".join(reason for _, reason in row.memory.requires) or "never",
        )
        for row in OPS.values()
        if row.memory is not None and row.args is not None
    }
    assert told == expected


# Pairs.


def pairs() -> Iterator[tuple[Block, Block]]:
    before = None
    for block in [*blocks(LANGUAGE), *blocks(HEAP)]:
        if block.kind == "before":
            before = block
        elif block.kind == "after":
            assert before is not None
            yield before, block


def said_of(after: str) -> tuple[Options, list[str]]:
    """The options, and the lines that `validate` prints, from the comments on top of a block."""
    comments = []
    for line in after.splitlines():
        if not line.startswith("# "):
            break
        comments.append(line[2:])
    words = comments.pop(0).split()[1:] if comments[0].startswith("validate ") else []
    chosen = dict(zip(words[::2], words[1::2], strict=True))
    assert set(chosen) <= {"--guards", "--failargs"}
    default = Options()
    options = Options(
        Guards(chosen.get("--guards", default.guards.value)),
        Failargs(chosen.get("--failargs", default.failargs.value)),
    )
    return options, comments


@pytest.mark.parametrize(("before", "after"), list(pairs()), ids=str)
def test_pairs_are_judged_as_they_say(before: Block, after: Block) -> None:
    options, said = said_of(after.text)
    recorded, optimized = parse(before.text), parse(after.text)
    verdict = validate(recorded, optimized, options)
    printed = verdict_text(verdict).split("\n\n")[0].splitlines()
    told = [re.sub(r": \d+ obligations? holds?.*", "", printed[0]), *(line.strip() for line in printed[1:])]
    if not any(line.startswith("origins inferred") for line in said):
        told = [line for line in told if not line.startswith("origins inferred")]
    if verdict_name(verdict) == "unsupported":
        told = [re.sub(r"line \d+", "line", line) for line in told]  # the comments count as lines of the block
        said = [re.sub(r"line \d+", "line", line) for line in said]
    assert told == said


# Commands.


@dataclass(frozen=True, slots=True)
class Session:
    """A folder in which the commands of a document run, one after the other. `left` are the groups of processes that
    they may have left behind."""

    folder: Path
    left: list[int] = field(default_factory=list)

    def try_block(self, block: Block) -> None:
        parts = re.split(r"^\$ (.*)\n", block.text, flags=re.MULTILINE)
        assert parts[0] == "", f"{block}: a command comes first"
        code = 0
        for command, shown in zip(parts[1::2], parts[2::2], strict=True):
            if command == "echo $?":
                assert shown == f"{code}\n", f"{block}: {command}"
            elif re.fullmatch(r"cat [\w./-]+", command):
                path = self.folder / command.split()[1]
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(shown)
            else:
                code, printed = self.run(command)
                assert fits(printed, shown), f"{block}: {command}\n{printed}"

    def run(self, command: str) -> tuple[int, str]:
        tools = Path(sys.executable).parent
        environment = {"PATH": f"{tools}:/usr/bin:/bin", "HOME": str(self.folder), "PYTHONPATH": str(ROOT)}
        plain = r"((?:validate|traceproof)(?: (?:[^'*&|<>]+|'[^']*'))*?)"
        ours = re.fullmatch(rf"{plain}(?: > ([\w./-]+)| \| (.+))?", command)
        if ours is None:
            return self._run_in_shell(command, environment)
        words, file, reader = shlex.split(ours[1]), ours[2], ours[3]
        if reader is None:
            return self._run_loaded(words, environment, file and self.folder / file)
        with tempfile.TemporaryDirectory() as folder:
            piped = Path(folder) / "piped"
            _, complaints = self._run_loaded(words, environment, piped)
            code, printed = self._run_in_shell(f"cat {piped} | {reader}", environment)
        return code, complaints + printed

    def _run_in_shell(self, command: str, environment: dict[str, str]) -> tuple[int, str]:
        with subprocess.Popen(
            ["bash", "-c", command],
            cwd=self.folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        ) as started:
            watch(started.pid)
            self.left.append(started.pid)
            try:
                printed, _ = started.communicate(timeout=60)
            except BaseException:
                os.killpg(started.pid, signal.SIGKILL)
                raise
        return started.returncode, printed

    def _run_loaded(self, words: list[str], environment: dict[str, str], into: Path | None = None) -> tuple[int, str]:
        """Runs a command of ours in which nothing is for the shell; what it prints may go into a file."""
        with tempfile.TemporaryDirectory() as folder:
            output = Path(folder) / "output"
            if into is not None:
                into.write_text("")
            started = start_loaded(words, self.folder, environment, output, into)
            assert started.pid is not None
            watch(started.pid)
            self.left.append(started.pid)
            started.join(60)
            assert started.exitcode is not None, words
            return started.exitcode, output.read_text()

    def end(self) -> None:
        """End what still runs in the background."""
        for group in self.left:
            with suppress(ProcessLookupError):
                os.killpg(group, signal.SIGKILL)
            let_go(group)


def fits(printed: str, shown: str) -> bool:
    """Is it what is shown, where `...` stands for anything, and times are not compared?"""
    without_times = re.sub(r"\b\d+\.\d+ s\b", "0.000 s", printed)
    pattern = re.escape(re.sub(r"\b\d+\.\d+ s\b", "0.000 s", shown)).replace(r"\.\.\.", ".*")
    return re.fullmatch(pattern, without_times) is not None


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_commands_print_what_is_shown(document: Path, tmp_path: Path) -> None:
    if document == NIGHTLY:  # it shows a case that is there
        shutil.copytree(CORPUS / "swapped-failargs", tmp_path / "corpus" / "swapped-failargs")
    session = Session(tmp_path)
    if document in COURSE:  # a page uses the files of those before it
        earlier = map(str, COURSE[: COURSE.index(document)])
        assert session.run(shlex.join(["python", str(ROOT / "docs" / "course" / "files.py"), *earlier])) == (0, "")
    if document == OPTIMIZER and shutil.which("cc") is None:
        pytest.skip("the page compiles a program, and there is no C compiler here")
    if document == NIGHTLY:
        pytest.importorskip("distributed", reason="Dask is not installed: pip install 'traceproof[cluster]'")
    port = str(free_port())
    try:
        for block in of_kind("console", document):
            session.try_block(replace(block, text=block.text.replace("8786", port)))
    finally:
        session.end()


def free_port() -> int:
    """A port for the scheduler of a page: its own may be taken on this machine."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port: int = listening.getsockname()[1]
        return port


def test_what_is_shown_can_be_wrong(tmp_path: Path) -> None:
    session = Session(tmp_path)
    session.try_block(
        Block("console", "$ cat a.trace\n[i0]\n$ validate a.trace a.trace\nproved: ...\n$ echo $?\n0\n", 1)
    )
    for wrong in ("$ validate a.trace a.trace\nproved\n", "$ validate a.trace b.trace\nerror: ...\n$ echo $?\n1\n"):
        with pytest.raises(AssertionError):
            session.try_block(Block("console", wrong, 1))


def test_scripts_that_are_named_are_there() -> None:
    for script in re.findall(r"scripts/[\w-]+(?:\.txt)?", README.read_text()):
        assert (ROOT / script).is_file(), script


def test_python_examples_print_what_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, object] = {"__name__": "example"}
    found = blocks(PYTHON)
    for block, answer in zip(found, [*found[1:], Block("", "", 0)], strict=False):
        if block.kind == "python":
            exec(compile(block.text, f"{PYTHON}:{block.line}", "exec"), names)
            if answer.kind == "output":
                assert capsys.readouterr().out == answer.text
    test = names["test_my_optimizer"]
    assert callable(test)
    test()


def test_the_readme_is_short_and_names_every_page() -> None:
    text = README.read_text()
    assert len(text.splitlines()) <= 180
    for page in (ROOT / "docs").glob("*.md"):
        assert f"(docs/{page.name})" in text, page.name


@pytest.mark.parametrize("document", [*DOCUMENTS, ARCHITECTURE], ids=lambda path: path.name)
def test_links_lead_somewhere(document: Path) -> None:
    text = re.sub(r"^```.*?^```$|`[^`\n]*`", "", document.read_text(), flags=re.MULTILINE | re.DOTALL)
    for file, anchor in re.findall(r"\]\((?!https?:)([^)#]*)#?([^)]*)\)", text):
        path = document.parent / file if file else document
        assert path.exists(), file
        if anchor:
            heads = re.findall(r"^#+ (.*)$", path.read_text(), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w -]", "", head).lower().replace(" ", "-") for head in heads}, anchor


# Tables.


def rows(document: Path, first_column: str) -> dict[str, str]:
    """The table whose first column has that head: by the first cell, without backticks, the rest."""
    lines = document.read_text().splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(f"| {first_column} |"))
    found = {}
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        key, rest = line.strip("|").split("|", 1)
        found[key.strip().strip("`")] = rest.strip()
    return found


def test_the_commands_are_listed(tmp_path: Path) -> None:
    told = {words[1] for words in (key.split() for key in rows(COMMANDS, "command")) if words[0] == "traceproof"}
    code, printed = Session(tmp_path).run("traceproof --help")
    assert code == 0
    assert told == set(re.findall(r"^  ([a-z-]+)  ", printed.partition("Commands:")[2], re.MULTILINE))


def test_the_exit_codes_are_listed() -> None:
    assert [int(key) for key in rows(COMMANDS, "exit code")] == [code.value for code in Exit]


def test_the_passes_are_listed() -> None:
    assert tuple(rows(OUR_OPTIMIZER, "pass")) == DEFAULT_PASSES


def passes_shown() -> dict[str, list[Block]]:
    """The traces below the heading of each pass."""
    parts = re.split(r"^##+ (?:`([\w-]+)`: )?.*$", OUR_OPTIMIZER.read_text(), flags=re.MULTILINE)
    traces = [block for block in blocks(OUR_OPTIMIZER) if block.kind in ("before", "after")]
    found = zip(parts[1::2], parts[2::2], strict=True)
    return {
        name: [block for block in traces if f"```{block.kind}\n{block.text}```" in text] for name, text in found if name
    }


def test_each_pass_is_shown_alone() -> None:
    shown = passes_shown()
    assert shown.keys() == {*DEFAULT_PASSES}
    for name, (before, after) in shown.items():
        recorded = parse(before.text)
        optimized = optimize(recorded, (name,))
        assert (before.kind, after.kind) == ("before", "after")
        assert format_trace(optimized) == after.text, name
        assert verdict_name(validate(recorded, optimized)) == "proved"


def test_what_is_left_of_the_running_example_is_counted() -> None:
    recorded = parse((CORPUS / "boxed-integers-in-a-loop" / "before.trace").read_text())
    told = rows(OUR_OPTIMIZER, "in the loop")
    both = (recorded, optimize(recorded))
    assert told.pop("operations") == " | ".join(str(len(trace.ops)) for trace in both)
    assert len(told) == 4
    for name, numbers in told.items():
        counts = [sum(operation.op.name == name for operation in trace.ops) for trace in both]
        assert numbers == f"{counts[0]} | {counts[1]}", name


def test_the_dependencies_are_listed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    pinned = [*project["dependencies"], *chain(*project["optional-dependencies"].values())]
    names = {name.partition(">=")[0] for name in pinned if not name.startswith("traceproof")}
    assert set(rows(ROOT / "docs" / "dependencies.md", "package")) == names


def test_the_fields_of_a_verdict_are_listed() -> None:
    told = rows(COMMANDS, "field")
    before = parse("[i0]\nescape_n(i0)\nguard_value(i0, 1) [i0]\nfinish(i0)")
    bad = parse("[i0]\nescape_n(i0)\nfinish(i0)")
    unsupported = validate(parse("[f0]"), parse("[f0]"))
    mistake = validate(parse("[i0]"), parse("[]"))
    given = {"line"}
    for verdict in (validate(before, before), validate(before, bad), unsupported, mistake):
        given |= set(verdict_json(verdict, "name", before, bad))
    assert set(told) == given


def test_the_corpus_shows_a_case_that_it_has() -> None:
    (example,) = of_kind("toml", CORPUS / "README.md")
    assert example.text == (CORPUS / "swapped-events" / "case.toml").read_text()


def test_the_corpus_lists_its_cases() -> None:
    listed = dict(re.findall(r"^- `([\w-]+)`: (.*)$", (CORPUS / "README.md").read_text(), re.MULTILINE))
    assert listed == {name: read_case(CORPUS, name).about for name in case_names(CORPUS)}
    assert len(listed) >= 120


def test_the_corpus_lists_its_cases_under_what_they_taught() -> None:
    _, *kinds = re.split(r"^\*\*.+\*\*$", (CORPUS / "README.md").read_text(), flags=re.MULTILINE)
    assert len(kinds) >= 20
    for kind in kinds:
        lesson = kind.split("\n\n")[1]
        names = re.findall(r"^- `([\w-]+)`", kind, re.MULTILINE)
        assert names, lesson
        assert {read_case(CORPUS, name).taught for name in names} == {lesson}
        assert all(read_case(CORPUS, name).source for name in names)
