"""The order in which questions are worked on."""

from __future__ import annotations

import threading
import time

from fuzz.serve.turns import Turns


def waiting(turns: Turns, name: str, came: list[str]) -> threading.Thread:
    """Somebody who waits until the place has been taken for them, as all do who come later."""

    def wait() -> None:
        assert turns.take(30)
        came.append(name)

    thread = threading.Thread(target=wait)
    before = len(turns._waiting)
    thread.start()
    while len(turns._waiting) == before:
        time.sleep(0.001)
    return thread


def test_there_are_so_many_places() -> None:
    turns = Turns(2)
    assert turns.take(0)
    assert turns.take(0)
    assert not turns.take(0.01)
    turns.give_back()
    assert turns.take(0)
    assert not turns.take(0)


def test_a_place_goes_to_whoever_waits_longest_and_to_nobody_who_comes_then() -> None:
    turns, came = Turns(1), list[str]()
    assert turns.take(0)
    threads = [waiting(turns, name, came) for name in "abc"]
    for number, thread in enumerate(threads, 1):
        turns.give_back()
        assert not turns.take(0)
        thread.join(30)
        assert came == list("abc"[:number])


def test_who_has_given_up_is_not_waited_for() -> None:
    turns = Turns(1)
    assert turns.take(0)
    assert not turns.take(0.01)
    turns.give_back()
    assert turns.take(0)
