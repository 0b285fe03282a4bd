"""Optimizers that are programs: whatever they do, it is a find of the right kind, and none is left running."""

from __future__ import annotations

import json
import os
import resource
import shlex
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from processes import start_python

from fuzz.campaign.examine import AlwaysFails, Counted, Find, Made, Optimized, Record, examine
from fuzz.draw.generator import GeneratedTrace, generate_for
from fuzz.subject import optimizers
from fuzz.subject.optimizers import OptimizerKind, OptimizerSpec, open_optimizer
from optimizer.ir.faults import InputError
from optimizer.ir.text import format_trace, parse
from optimizer.ir.trace import Trace
from validator.processes import child
from validator.search.counterexample import State
from validator.tell.plain_data import from_plain, to_plain
from validator.verdict import Evidence, Proved, Unsupported, Verdict

TRACE = parse("[i0]\ni1 = int_add(i0, 0)\njump(i1)\n")
SHORTER = "[i0]\njump(i0)\n"

LOOP = """\
import json, os, signal, subprocess, sys, time
for number, line in enumerate(sys.stdin):
    trace = json.loads(line)["trace"]
    same = json.dumps({"trace": trace})
"""


def content(_before: Trace, _after: Trace, _state: State) -> Verdict:
    return Proved(Evidence())


def looked_at(optimizer: object, trace: Trace = TRACE, seed: int = 1) -> Record:
    assert callable(optimizer)
    return examine(Made(seed, GeneratedTrace(trace, State((5,)), {})), optimizer, content)


class Program:
    """Writes programs, and says how they are run."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __call__(self, kind: OptimizerKind, text: str, limit_s: float = 20.0, memory_mb: int = 4096) -> OptimizerSpec:
        path = self._folder / "program with a blank.py"
        path.write_text(text)
        return OptimizerSpec(kind, shlex.join([sys.executable, "-S", str(path)]), limit_s, memory_mb)

    def server(self, answer: str, limit_s: float = 20.0) -> OptimizerSpec:
        """A server with those lines as the answer to each request."""
        body = "".join(f"    {line}\n" for line in answer.splitlines())
        return self(OptimizerKind.SERVER, LOOP + body + "    sys.stdout.flush()\n", limit_s)

    def command(self, text: str, limit_s: float = 20.0) -> OptimizerSpec:
        return self(OptimizerKind.COMMAND, f"import os, signal, subprocess, sys, time\n{text}\n", limit_s)


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path)


def told(spec: OptimizerSpec, times: int = 1) -> list[tuple[str, str]]:
    """The kind and the message of each find, or the verdict."""
    found = []
    with open_optimizer(spec) as optimizer:
        for _ in range(times):
            match looked_at(optimizer):
                case Find(kind=kind, message=message):
                    found.append((kind.value, message))
                case Counted(verdict=Unsupported(reason)):
                    found.append(("unsupported", reason))
                case Counted():
                    found.append(("proved", ""))
    return found


# What all kinds of optimizer have in common.


def test_our_own_optimizer_tells_what_fired() -> None:
    with open_optimizer(OptimizerSpec()) as optimizer:
        result = optimizer(TRACE)
        assert isinstance(result, Optimized)
        assert isinstance(result.trace, Trace)
        assert len(result.trace.ops) == 1
        assert result.fired
        with pytest.raises(AlwaysFails) as claim:
            optimizer(parse("[i0]\ni1 = int_add(1, 1)\nguard_value(i1, 3) []\njump(i0)\n"))
    assert (claim.value.guard, type(claim.value.after)) == (0, Trace)


@pytest.mark.parametrize(
    ("spec", "arguments"),
    [
        (OptimizerSpec(), ""),
        (OptimizerSpec(limit_s=2.5), "--optimizer-timeout 2.5"),
        (OptimizerSpec(OptimizerKind.FUNCTION, "a:b"), "--optimizer a:b"),
        (
            OptimizerSpec(OptimizerKind.SERVER, "opt --x 'y z'", memory_mb=64),
            """--optimizer-server 'opt --x '"'"'y z'"'"'' --optimizer-memory 64""",
        ),
    ],
)
def test_a_specification_is_data_and_arguments(spec: OptimizerSpec, arguments: str) -> None:
    assert from_plain(OptimizerSpec, json.loads(json.dumps(to_plain(spec)))) == spec
    assert spec.arguments() == arguments


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        (OptimizerKind.FUNCTION, "mine", "--optimizer: expected MODULE:FUNCTION, got 'mine'"),
        (OptimizerKind.COMMAND, "no-such-program -x", "--optimizer-cmd: there is no program 'no-such-program'"),
        (OptimizerKind.SERVER, " ", "--optimizer-server: expected a command, got nothing"),
        (OptimizerKind.SERVER, "opt 'x", '--optimizer-server: "opt \'x": No closing quotation'),
    ],
)
def test_an_optimizer_that_is_not_there_is_a_mistake(kind: OptimizerKind, text: str, message: str) -> None:
    with pytest.raises(InputError) as mistake, open_optimizer(OptimizerSpec(kind, text)):
        pass
    assert str(mistake.value) == message


def test_a_file_that_is_not_executable_is_a_mistake(tmp_path: Path) -> None:
    file = tmp_path / "opt.py"
    file.write_text("print()")
    with pytest.raises(InputError) as mistake, open_optimizer(OptimizerSpec(OptimizerKind.COMMAND, f"{file} -x")):
        pass
    assert str(mistake.value) == f"--optimizer-cmd: '{file}' is not executable"


HANGING = """\
import time
def forever(trace):
    while True:
        try:
            time.sleep(10)
        except Exception:
            pass
def caught(trace):
    while True:
        try:
            while True:
                pass
        except BaseException:
            return trace
"""


def test_a_function_that_hangs_is_interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "hanging_optimizer.py").write_text(HANGING)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    spec = OptimizerSpec(OptimizerKind.FUNCTION, "hanging_optimizer:forever", 0.1)
    assert told(spec, 2) == [("hang", "no answer within 0.1 s")] * 2
    assert told(OptimizerSpec(OptimizerKind.FUNCTION, "hanging_optimizer:caught", 0.1)) == [("proved", "")]


# A command.


def test_a_command_reads_and_prints_traces(program: Program) -> None:
    assert told(program.command(f"sys.stdin.read()\nprint({SHORTER!r})")) == [("proved", "")]
    with open_optimizer(OptimizerSpec(OptimizerKind.COMMAND, "cat")) as cat:
        for seed in range(40, 60):
            trace = generate_for(seed).trace
            assert cat(trace) == trace


def test_declarations_need_not_be_printed_again(program: Program) -> None:
    before = parse(
        '+++\nword = 16\n[struct.N.fields]\nv = "u8"\n+++\n[p0]\ni1 = getfield_gc_i(p0, descr=N.v)\njump(p0)\n'
    )
    text = format_trace(before)
    plain = text[text.index("[p0]") :]
    with open_optimizer(program.command(f"sys.stdout.write({plain!r})")) as optimizer:
        assert optimizer(before) == before


LARGE = parse("[i0]\n" + "".join(f"i{n} = int_add(i{n - 1}, 1)\n" for n in range(1, 6_000)) + "jump(i0)\n")


@pytest.mark.parametrize("kind", [OptimizerKind.COMMAND, OptimizerKind.SERVER])
def test_pipes_that_are_full_stop_nobody(kind: OptimizerKind, program: Program) -> None:
    """It complains at length before it reads, and answers while it is still written to."""
    text = "import sys\nsys.stderr.write('x' * 3_000_000)\nfor line in sys.stdin: sys.stdout.write(line)\n"
    text = text.replace("(line)\n", "(line); sys.stdout.flush()\n")
    with open_optimizer(program(kind, text)) as optimizer:
        assert optimizer(LARGE) == LARGE


COMMANDS = {
    "exit code": ("sys.exit(3)", "crash", "the optimizer ended with exit code 3"),
    "signal": ("os.kill(os.getpid(), signal.SIGSEGV)", "crash", "the optimizer ended with signal SIGSEGV"),
    "right, and exit code": (f"print({SHORTER!r})\nsys.exit(1)", "crash", "the optimizer ended with exit code 1"),
    "nothing": ("", "malformed", "output: the file is empty"),
    "no trace": ("print('Hello')", "malformed", "output:1:"),
    "cut off": ("print('[i0]\\ni1 = int_add(i0')", "malformed", "output:2:"),
    "ill-formed": ("print('[i0]\\njump(i7)')", "malformed", "output:2:6: "),
    "other inputs": ("print('[]\\nfinish()')", "malformed", "expected inputs of the same types"),
    "other word": ("print('+++\\nword = 8\\n+++\\n[i0]\\njump(i0)')", "malformed", ""),
    "no text": ("sys.stdout.buffer.write(b'[i0]\\xff\\xfe')", "malformed", "expected UTF-8 text"),
    "zeros": ("sys.stdout.buffer.write(bytes(1000))", "malformed", "output:1:"),
}


@pytest.mark.parametrize(("text", "kind", "message"), COMMANDS.values(), ids=COMMANDS)
def test_what_a_command_may_do(text: str, kind: str, message: str, program: Program) -> None:
    ((found, said),) = told(program.command(text))
    assert (found, said[: len(message)]) == (kind, message)


def test_the_end_of_what_a_crashing_command_said_is_reported(program: Program) -> None:
    with open_optimizer(program.command("sys.exit('x' * 100_000 + 'why: \\udcff')")) as optimizer:
        find = looked_at(optimizer)
    assert isinstance(find, Find)
    assert find.report.startswith("standard error ends:\nxxx")
    assert "why" in find.report
    assert len(find.report) < 10_000


# Nothing is left running.

SPAWNS = "subprocess.Popen([sys.executable, '-S', '-c', 'import time; time.sleep(60)'])\n"
FAMILY = f"child = {SPAWNS}open({{pids!r}}, 'a').write(f'{{{{os.getpid()}}}}\\n{{{{child.pid}}}}\\n')\n"


def gone(pids: Path) -> bool:
    """Have all processes of that file ended?"""
    deadline = time.monotonic() + 10
    for pid in pids.read_text().split():
        while _runs(int(pid)):
            if time.monotonic() > deadline:
                return False
            time.sleep(0.01)
    return True


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.fixture
def pids(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "pids"
    path.touch()
    yield path
    for pid in path.read_text().split():
        if _runs(int(pid)):
            os.kill(int(pid), 9)


@pytest.mark.parametrize("behind", ["time.sleep(60)", "os.close(1)\ntime.sleep(60)", "sys.exit(0)"])
def test_a_command_that_hangs_is_killed_with_what_it_started(behind: str, program: Program, pids: Path) -> None:
    text = FAMILY.format(pids=str(pids)).replace("-c', '", "-c', 'import os; os.close(2); ") + behind
    ((kind, message),) = told(program.command(text, limit_s=0.5))
    assert kind == "hang"
    assert message in ("no answer within 0.5 s", "the optimizer has closed its output and does not end")
    assert len(pids.read_text().split()) == 2
    assert gone(pids)


def test_a_server_that_hangs_is_killed_and_started_anew(program: Program, pids: Path) -> None:
    answer = FAMILY.format(pids=str(pids)) + "time.sleep(60)"
    assert told(program.server(answer, limit_s=0.5), 2) == [("hang", "no answer within 0.5 s")] * 2
    assert len(pids.read_text().split()) == 4
    assert gone(pids)


@pytest.mark.parametrize("kind", [OptimizerKind.COMMAND, OptimizerKind.SERVER])
@pytest.mark.parametrize("interruption", [KeyboardInterrupt, SystemExit])
def test_an_interruption_kills(
    kind: OptimizerKind, interruption: type, program: Program, pids: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    raised: list[bool] = []

    class Interrupted(child.Child):
        def _hear(self) -> bool:
            if not raised and pids.read_text().count("\n") == 2:
                raised.append(True)
                raise interruption
            return super()._hear()

    monkeypatch.setattr("fuzz.subject.external.Child", Interrupted)
    text = f"import os, subprocess, sys, time\n{FAMILY.format(pids=str(pids))}sys.stderr.write('!')\ntime.sleep(60)"
    with pytest.raises(interruption), open_optimizer(program(kind, text)) as optimizer:
        optimizer(TRACE)
    assert gone(pids)


def test_a_server_ends_with_its_input(program: Program, tmp_path: Path) -> None:
    """It is not killed: it may have something to write."""
    text = f"{LOOP}    print(same, flush=True)\nopen({str(tmp_path / 'last words')!r}, 'w').write('bye')\n"
    assert told(program(OptimizerKind.SERVER, text), 3) == [("proved", "")] * 3
    assert (tmp_path / "last words").read_text() == "bye"


# A server.


def test_a_server_answers_many_traces(program: Program, tmp_path: Path) -> None:
    spec = program.server(f"open({str(tmp_path / 'starts')!r}, 'a').write('x') if number == 0 else None\nprint(same)")
    with open_optimizer(spec) as server:
        for seed in range(40, 60):
            trace = generate_for(seed).trace
            assert server(trace) == trace
    assert (tmp_path / "starts").read_text() == "x"


SAME = "print(same)"
SERVERS = {
    "error": ("print(json.dumps({'error': 'IndexError\\nat 5'}))", "crash", "the optimizer answers with an error: Ind"),
    "half a pair": ("print(json.dumps({'error': '\\ud800'}))", "crash", "the optimizer answers with an error: \\ud800"),
    "unsupported": ("print(json.dumps({'unsupported': 'floats'}))", "unsupported", "the optimizer: floats"),
    "exit code": ("sys.exit(3)", "crash", "the optimizer ended with exit code 3 and gave no answer"),
    "exit code 0": ("sys.exit(0)", "crash", "the optimizer ended with exit code 0 and gave no answer"),
    "signal": ("os.kill(os.getpid(), 6)", "crash", "the optimizer ended with signal SIGABRT and gave no answer"),
    "dies in a line": (
        "sys.stdout.write(same[:9]); sys.stdout.flush(); os._exit(4)",
        "crash",
        "the optimizer ended with exit code 4 and gave no answer",
    ),
    "ends in a line": ("sys.stdout.write(same[:9]); sys.exit(0)", "malformed", "the optimizer ended in the middle of"),
    "no newline": ("sys.stdout.write(same)", "hang", "no answer within 0.5 s, and had printed "),
    "twice": ("print(same + '\\n' + same)", "malformed", "expected one line for each trace, got more"),
    "an empty line": ("print()", "malformed", "expected a line of JSON: Expecting value"),
    "several lines": ("print(json.dumps({'trace': trace}, indent=1))", "malformed", "expected one line for each"),
    "garbage": ("print('Hello')", "malformed", "expected a line of JSON: "),
    "deep": ("print('[' * 100_000)", "malformed", "expected a line of JSON: "),
    "no object": ("print('[1]')", "malformed", 'expected {"trace": TEXT}'),
    "no text": ("print(json.dumps({'trace': 5}))", "malformed", 'expected {"trace": TEXT}'),
    "no UTF-8": ("sys.stdout.buffer.write(b'\\xff\\n')", "malformed", "expected UTF-8 text"),
    "no trace": ("print(json.dumps({'trace': 'x'}))", "malformed", "output:1:"),
    "surrogates": ("print(json.dumps({'trace': '\\udcff'}))", "malformed", "output:1:"),
    "ill-formed": ("print(json.dumps({'trace': '[i0]\\njump(i7)'}))", "malformed", "output:2:6: "),
    "closes its output": ("os.close(1); time.sleep(60)", "crash", "the optimizer closed its output and gave no answer"),
}


@pytest.mark.parametrize(("answer", "kind", "message"), SERVERS.values(), ids=SERVERS)
def test_what_a_server_may_do(answer: str, kind: str, message: str, program: Program) -> None:
    """The trace at which it does so is the one that is told, and it is in order at those around it."""
    at_the_third = f"if number == 2:\n    {answer}\nelse:\n    {SAME}"
    spec = program.server(at_the_third, limit_s=0.5 if kind == "hang" else 20.0)
    if answer == "sys.exit(0)":
        assert told(spec, 3) == [("proved", "")] * 3  # it answers two, and ends
        spec = program.server(answer)
        at_once = [("proved", ""), ("proved", ""), *told(spec), ("proved", "")]
    else:
        at_once = told(spec, 4)
    assert [at_once[n] for n in (0, 1, 3)] == [("proved", "")] * 3
    assert (at_once[2][0], at_once[2][1][: len(message)]) == (kind, message)


def test_answers_are_never_taken_for_those_to_another_trace(program: Program) -> None:
    """A server that says more, a little later, is started anew."""
    late = "print(same, flush=True)\ntime.sleep(0.05)\nprint(same)"
    with open_optimizer(program.server(late)) as server:
        for seed in range(40, 43):
            trace = generate_for(seed).trace
            assert server(trace) == trace
            time.sleep(0.2)


def test_a_server_may_answer_before_it_has_read_everything(program: Program) -> None:
    answer = json.dumps({"trace": SHORTER})
    hasty = f"import os\nwhile data := os.read(0, 99):\n    print({answer!r}, flush=True)\n"
    hasty += "    while not data.endswith(b'\\n'):\n        data = os.read(0, 99)\n"
    with open_optimizer(program(OptimizerKind.SERVER, hasty)) as server:
        for _ in range(3):
            assert server(LARGE) == parse(SHORTER)


def test_a_flood_is_stopped(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "MOST_BYTES", 1 << 20)
    flood = "while True: sys.stdout.write('x' * 10_000)"
    ((kind, message),) = told(program.server(flood))
    assert (kind, message) == ("malformed", "the optimizer printed more than 16 MB")
    with open_optimizer(program.command(flood)) as optimizer:
        find = looked_at(optimizer)
    assert isinstance(find, Find)
    assert isinstance(find.after, str)
    assert set(find.after) == {"x"}
    assert len(find.after) <= 1 << 16


def test_memory_is_limited(program: Program) -> None:
    spec = program(OptimizerKind.COMMAND, "import time\ntime.sleep(0.1)\nx = bytearray(200 << 20)", memory_mb=100)
    assert told(spec) == [("crash", "the optimizer ended with exit code 1")]
    with open_optimizer(spec) as optimizer:
        find = looked_at(optimizer)
    assert isinstance(find, Find)
    assert "MemoryError" in find.report


def test_a_program_that_cannot_be_started_is_a_crash(tmp_path: Path) -> None:
    (tmp_path / "opt").write_bytes(b"\x7fELF")
    (tmp_path / "opt").chmod(0o755)
    for kind in (OptimizerKind.COMMAND, OptimizerKind.SERVER):
        ((found, message),) = told(OptimizerSpec(kind, str(tmp_path / "opt")))
        assert found == "crash"
        assert message.startswith("the optimizer cannot be started: ")


def test_every_kind_has_an_option() -> None:
    assert {*optimizers.OPTIONS, OptimizerKind.OURS, OptimizerKind.PEELING} == set(OptimizerKind)


CAMPAIGN = """\
import sys
from fuzz.command.main import main
main(["fuzz", "--seed", "1", "--jobs", "2", "--optimizer-cmd", sys.argv[1], "--optimizer-timeout", "5"])
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_campaign_that_is_ended_leaves_no_program_behind(
    number: signal.Signals, program: Program, pids: Path, tmp_path: Path
) -> None:
    spec = program.command(f"open({str(pids)!r}, 'a').write(f'{{os.getpid()}}\\n')\nwhile True: pass")
    campaign = start_python(CAMPAIGN, [spec.text], tmp_path)
    deadline = time.monotonic() + 20
    while pids.read_text().count("\n") < 2 and time.monotonic() < deadline:
        time.sleep(0.01)
    campaign.send_signal(number)
    campaign.communicate(timeout=20)
    time.sleep(0.1)
    assert pids.read_text().count("\n") >= 2
    assert gone(pids)


def test_the_time_of_a_program_is_limited_even_if_nobody_is_there_to_kill_it(program: Program, tmp_path: Path) -> None:
    said = tmp_path / "limits"
    text = f"import resource\nopen({str(said)!r}, 'w').write(str(resource.getrlimit(resource.RLIMIT_CPU)[0]))\n{{}}"
    with open_optimizer(program.command(text.format("sys.stdin.read()"), limit_s=3.0)) as optimizer:
        looked_at(optimizer)
    first = int(said.read_text())
    assert 4 <= first <= 5 * (os.cpu_count() or 1)
    later = text.format("for line in sys.stdin:\n    print(line, flush=True, end='')\n    time.sleep(0.1)")
    later = later.replace("import resource\n", "import resource, sys, time\n")
    server = child.Child([sys.executable, "-S", "-c", later], 4096)
    try:
        for _ in range(2):
            assert server.exchange(b"x\n", time.monotonic() + 100, lambda output: b"\n" in output) is child.Came.ANSWER
        assert resource.prlimit(server.pid, resource.RLIMIT_CPU)[0] >= 100
    finally:
        server.kill()
