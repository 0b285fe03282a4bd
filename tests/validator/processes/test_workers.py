"""Workers that die, hang and eat: the batch goes on, in order, and leaves nothing behind."""

from __future__ import annotations

import errno
import io
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext
from multiprocessing import Pipe, get_context
from pathlib import Path
from random import Random

import pytest
from processes import children_of, is_running, start_python

from optimizer.ir.faults import InputError
from validator.processes.guardian import let_go, watch
from validator.processes.ordered import Answer, Request, answer_all, judge_all
from validator.processes.workers import Loss, Supervision, _serve, working

PATIENCE_S = 0.4
PLENTY_MB = 1 << 20


def planted(request: Request) -> Answer:
    """Does what the line says."""
    words = request.text.decode().split()
    match words[0]:
        case "sleep":
            time.sleep(float(words[1]))
        case "hang":
            time.sleep(1000)
        case "crash":
            os._exit(3)
        case "fault":
            raise ValueError("planted\xe9")
        case "full":
            raise OSError(errno.ENOSPC, "No space left on device", "/tmp")
        case "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        case "sleeper":
            _sleep(Path(words[1]), start_new_session=False)
        case "solver":
            _sleep(Path(words[1]), start_new_session=True)
    return Answer(f"{request.number} {' '.join(words)}", 0)


def _sleep(note: Path, *, start_new_session: bool) -> None:
    """As a solver does that is hard at work."""
    sleeper = subprocess.Popen(["sleep", "1000"], start_new_session=start_new_session)
    note.write_text(str(sleeper.pid))
    try:
        time.sleep(1000)
    except BaseException:
        if start_new_session:
            sleeper.kill()
        raise


def lost(request: Request, loss: Loss) -> Answer:
    return Answer(f"{request.number} {loss.value}", 1)


def answers(tmp_path: Path, lines: list[str], jobs: int, judge: Callable[[Request], Answer] = planted) -> list[str]:
    path = tmp_path / "lines"
    path.write_text("\n".join(lines))
    with path.open("rb") as file:
        return [one.text for one in judge_all(file, judge, lost, Supervision(jobs, PLENTY_MB, PATIENCE_S))]


def children() -> set[int]:
    """The processes that this one has started, zombies included."""
    mine = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = stat.read_text().rpartition(")")[2].split()[1]
        except OSError:
            continue
        if int(parent) == os.getpid():
            mine.add(int(stat.parent.name))
    return mine


@pytest.fixture(autouse=True)
def _nothing_is_left_behind() -> Iterator[None]:
    watch(os.getpid())  # starts the guardian, which stays
    let_go(os.getpid())
    before = children()
    yield
    assert children() <= before


@pytest.mark.parametrize("jobs", [1, 2, 3, 5])
def test_answers_come_in_the_order_of_the_lines(tmp_path: Path, jobs: int) -> None:
    random = Random(jobs)
    lines = [random.choice(["say x", "", "sleep 0.002", "say " + "y" * 100_000]) for _ in range(200)]
    expected = [f"{number} {line}" for number, line in enumerate(lines, start=1) if line]
    assert answers(tmp_path, lines, jobs) == expected
    assert answers(tmp_path, [], jobs) == []


@pytest.mark.parametrize("slow", [0, 40])
def test_no_request_is_lost_behind_a_slow_one(slow: int, tmp_path: Path) -> None:
    """All that is read ahead is answered before the slow one is."""
    lines = ["sleep 0.3" if number == slow else "ok" for number in range(200)]
    assert len(answers(tmp_path, lines, 2)) == len(lines)
    requests = [Request(number, line.encode()) for number, line in enumerate(lines, start=1)]
    told = answer_all(requests, nullcontext(planted), lost, Supervision(2, PLENTY_MB, PATIENCE_S))
    assert [one.text for one in told] == [f"{number} {line}" for number, line in enumerate(lines, start=1)]


def test_no_request_is_taken_before_a_worker_is_idle() -> None:
    """Both work on the first two for a while; the answers of the others do not wait for those."""
    taken: list[int] = []

    def requests() -> Iterator[Request]:
        for number in range(20):
            taken.append(number)
            yield Request(number, b"sleep 0.2" if number in (0, 10) else b"ok")

    told = answer_all(requests(), nullcontext(planted), lost, Supervision(2, PLENTY_MB, PATIENCE_S))
    with closing(told):
        next(told)
        assert max(taken) in (10, 11)
        assert len(list(told)) == 19


def test_who_takes_answers_slowly_makes_no_worker_late() -> None:
    """Both have answered in time; while the first answer is printed, the time of the second worker is over."""

    def answer(seconds: float) -> list[float]:
        time.sleep(seconds)
        return [seconds]

    with working(nullcontext(answer), Supervision(2, PLENTY_MB, PATIENCE_S)) as workers:
        for seconds in (0.0, 0.1):
            workers.give(seconds)
        told = []
        while workers.is_busy():
            for _, one in workers.collect():
                told.append(one)
                time.sleep(2 * PATIENCE_S * (one == 0.0))
    assert sorted(one for one in told if isinstance(one, float)) == [0.0, 0.1]
    assert Loss.LATE not in told


def test_a_batch_goes_on_without_the_workers_that_it_loses(tmp_path: Path) -> None:
    lines = ["say a", "crash", "hang", "say b", "killed", "crash", "say c", "hang", *["say d"] * 10]
    told = ["1 say a", "2 crashed", "3 late", "4 say b", "5 killed", "6 crashed", "7 say c", "8 late"]
    for jobs in (2, 3):
        assert answers(tmp_path, lines, jobs) == told + [f"{number} say d" for number in range(9, 19)]


@pytest.mark.parametrize("kind", ["sleeper", "solver"])
def test_what_a_late_worker_has_started_is_ended_too(kind: str, tmp_path: Path) -> None:
    note = tmp_path / "pid"
    assert answers(tmp_path, [f"{kind} {note}", "say a"], 2) == ["1 late", "2 say a"]
    deadline = time.monotonic() + 5
    while is_running(int(note.read_text())):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_fault_in_a_worker_is_told_in_a_line_that_names_its_report(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert answers(tmp_path, ["fault", "say a"], 2) == ["1 crashed", "2 say a"]
    (report,) = tmp_path.glob("traceproof-fault-*")
    assert capfd.readouterr().err == (
        f"internal error: ValueError: planted\xe9; please report it with the file {report}\n"
    )
    assert report.read_text("utf-8").startswith("Traceback")


def test_what_keeps_a_worker_from_its_work_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^/tmp: no space is left on the device$"):
        answers(tmp_path, ["full", "say a"], 2)


def test_a_worker_that_dies_while_it_has_nothing_to_do_is_replaced(tmp_path: Path) -> None:
    def dies_later(request: Request) -> Answer:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        return planted(request)

    reader, writer = os.pipe()
    with os.fdopen(reader, "rb") as lines, closing(run(lines, dies_later)) as found:
        os.write(writer, b"say a\n")
        assert next(found).text == "1 say a"
        time.sleep(1.0)
        os.write(writer, b"say b\n")
        assert next(found).text == "2 say b"
        os.close(writer)


def run(lines: io.BufferedReader, judge: Callable[[Request], Answer] = planted, jobs: int = 2) -> Iterator[Answer]:
    return judge_all(lines, judge, lost, Supervision(jobs, PLENTY_MB, PATIENCE_S))


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_answer_does_not_wait_for_the_next_line(jobs: int) -> None:
    reader, writer = os.pipe()
    with os.fdopen(reader, "rb") as lines, closing(run(lines, jobs=jobs)) as found:
        for number in range(1, 4):
            os.write(writer, b"say a\n")
            assert next(found).text == f"{number} say a"
    os.close(writer)


def test_what_is_read_ahead_is_bounded(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_text("say a\n" * 500_000)
    with path.open("rb") as lines, closing(run(lines)) as found:
        next(found)
        assert os.lseek(lines.fileno(), 0, os.SEEK_CUR) < 200_000


def test_a_slow_reader_makes_no_worker_late(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_text("say a\n" * 20)
    with path.open("rb") as lines, closing(run(lines)) as found:
        next(found)
        time.sleep(2 * PATIENCE_S)
        assert [one.text for one in found] == [f"{number} say a" for number in range(2, 21)]


def test_memory_is_limited(tmp_path: Path) -> None:
    def eats(request: Request) -> Answer:
        try:
            return Answer(str(len(bytearray(int(request.text) << 20)) >> 20), 0)
        except MemoryError:
            return Answer("no memory", 0)

    path = tmp_path / "lines"
    path.write_text("1\n3000\n1\n")
    with path.open("rb") as file:
        found = [one.text for one in judge_all(file, eats, lost, Supervision(2, 2000, 10.0))]
    assert found == ["1", "no memory", "1"]


@pytest.mark.parametrize("jobs", [1, 3])
def test_each_process_has_a_context_of_its_own(tmp_path: Path, jobs: int) -> None:
    @contextmanager
    def working() -> Iterator[Callable[[str], str]]:
        (tmp_path / f"begun-{os.getpid()}").touch()
        try:
            yield lambda text: planted(Request(0, text.encode())).text
        finally:
            (tmp_path / f"ended-{os.getpid()}").touch()

    lines = [*["sleep 0.01"] * 20, "say a"]
    supervision = Supervision(jobs, PLENTY_MB, 10.0)
    told = list(answer_all(lines, working(), lambda text, loss: f"{text} {loss.value}", supervision))
    assert told == [f"0 {line}" for line in lines]
    begun, ended = ({path.name[6:] for path in tmp_path.glob(how)} for how in ("begun-*", "ended-*"))
    assert begun == ended
    assert (len(begun) == 1 and str(os.getpid()) in begun) if jobs == 1 else 2 <= len(begun) <= jobs


def test_requests_that_are_lost_are_answered_in_their_place() -> None:
    lines = ["say a", "crash", "say b", "hang", "say c"]
    work = nullcontext(lambda text: planted(Request(0, text.encode())).text)
    told = answer_all(lines, work, lambda text, loss: f"{text} {loss.value}", Supervision(2, PLENTY_MB, PATIENCE_S))
    assert list(told) == ["0 say a", "crash crashed", "0 say b", "hang late", "0 say c"]


PROGRAM = """
import sys, time
from validator.command.exits import run_command
from validator.processes.ordered import Answer, judge_all
from validator.processes.workers import Loss, Supervision, _serve, working

def judge(request):
    if b"hang" in request.text:
        time.sleep(1000)
    return Answer(f"{request.number}", 0)

def command():
    with open(sys.argv[1], "rb") as lines:
        for answer in judge_all(lines, judge, None, Supervision(2, 1 << 20, 1000.0)):
            print(answer.text, flush=True)

sys.exit(run_command(command))
"""


@pytest.mark.parametrize(
    ("number", "code", "words"), [(signal.SIGINT, 130, "interrupted\n"), (signal.SIGTERM, 143, "")], ids=["int", "term"]
)
def test_ctrl_c_ends_all(tmp_path: Path, number: signal.Signals, code: int, words: str) -> None:
    path = tmp_path / "lines"
    path.write_text("say a\nhang\nhang\nhang\n")
    program = start_python(PROGRAM, [str(path)])
    assert program.stdout is not None
    assert program.stdout.readline() == "1\n"
    time.sleep(0.1)
    workers = children_of(program.pid)
    assert len(workers) == 2
    os.killpg(program.pid, number)
    assert program.communicate(timeout=10) == ("", words)
    assert program.returncode == code
    assert not any(map(is_running, workers))


_PLENTY_MB = 1 << 16
"""More than this process has used in the tests before: a worker begins with all of that."""


class _Going:
    """Where it goes, the process is to end."""

    def __del__(self) -> None:
        signal.raise_signal(signal.SIGTERM)


def test_an_end_that_is_swallowed_comes_again(capfd: pytest.CaptureFixture[str]) -> None:
    def answers(_request: object) -> Iterator[str]:
        _Going()
        for _ in range(3000):
            time.sleep(0.01)
        yield "went on"

    ours, theirs = Pipe()
    worker = get_context("fork").Process(
        target=_serve, args=(theirs, (), nullcontext(answers), _PLENTY_MB), daemon=True
    )
    worker.start()
    theirs.close()
    ours.send("go")
    worker.join(20.0)
    worker.kill()
    worker.join()
    assert worker.exitcode == 128 + signal.SIGTERM
    assert capfd.readouterr().err == ""
