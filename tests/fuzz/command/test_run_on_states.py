"""`traceproof run --state`: a state with all that the world does."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import Command, Ended

TRACE = """[p0, i1, f2]
i3 = call_pure_i(ConstClass(hash), i1, descr=hash)
guard_no_exception() [i1]
i4 = call_i(ConstClass(work), p0, descr=work)
i5 = getfield_gc_i(p0, descr=Node.value)
guard_no_exception() [i4, f2]
finish(i3)
"""
STATE = """event_results = [7]
writes = [[{ object = "p0", descr = "Node.value", value = 17 }]]
function_results = [3]
heap = "p0 = Node(value=5)\\nerror = KeyError()"
[inputs]
p0 = "p0"
i1 = 4
f2 = "nan"
"""

Run = Callable[..., Ended]


@pytest.fixture
def run(traceproof: Command) -> Run:
    """Runs a trace on the text of a state; gives the exit code and both outputs."""
    Path("a.trace").write_text(TRACE)

    def command(state: str, *args: str) -> Ended:
        Path("state.toml").write_text(state)
        return traceproof("run", "a.trace", "--state", "state.toml", *args)

    return command


def test_functions_give_and_events_write_what_the_state_says(run: Run) -> None:
    code, said, _ = run(STATE)
    assert code == 0
    assert said.endswith("finish(3)\nerror = KeyError()\np0 = Node(value=17)\n")


@pytest.mark.parametrize(
    ("raises", "guard"), [('raises = ["error"]', 1), ('function_raises = ["error"]', 0)], ids=["event", "function"]
)
def test_what_is_raised_is_pending(run: Run, raises: str, guard: int) -> None:
    code, said, _ = run(f"{raises}\n{STATE}")
    assert code == 0
    assert f"guard {guard} fails" in said
    assert "the exception error is pending\n" in said
    assert ("raises error" in said) == (guard == 1)
    assert json.loads(run(f"{raises}\n{STATE}", "--json")[1])["pending"] == "error"


def test_an_event_need_not_return(run: Run) -> None:
    assert "event 0 does not return" in run(f"stops_at_event = 0\n{STATE}")[1]


@pytest.mark.parametrize(
    ("state", "args", "message"),
    [
        (STATE.replace("i1 = 4\n", ""), (), "state.toml: [inputs] of the state are f2, p0; those of the trace are f2,"),
        (STATE.replace("event_results", "event_result"), (), "state.toml: unknown key `event_result`"),
        (STATE.replace("17", "[17]"), (), "state.toml: a write is {object = ..., descr = ..., value = ...} with"),
        (STATE.replace('"p0"\ni1', "5\ni1"), (), "state.toml: the input p0 is of type ref, got 5"),
        (f'raises = ["nobody"]\n{STATE}', (), "state.toml: 'nobody' is no object of the heap, nor a float"),
        ("[inputs", (), "state.toml: not valid TOML: "),
        (STATE, ("--input", "i1=5"), "--state says all that --input, --heap and --results say; give it alone."),
    ],
)
def test_mistakes(run: Run, state: str, args: tuple[str, ...], message: str) -> None:
    code, _, said = run(state, *args)
    assert code == 2
    assert message in said
