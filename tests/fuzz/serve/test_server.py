"""The server of the playground: who is answered, how much, and what happens to questions that go wrong."""

from __future__ import annotations

import http.client
import io
import json
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from processes import Loaded, run_loaded, wait_until

from fuzz.serve import judge
from fuzz.serve.server import MOST_BYTES, Limits, Playground

RIGHT = {"action": "validate", "before": "[i0]\ni1 = int_add(i0, 0)\nfinish(i1)\n", "after": "[i0]\nfinish(i0)\n"}
WRONG = {**RIGHT, "after": "[i0]\nfinish(1)\n"}


@pytest.fixture(scope="module")
def server() -> Iterator[Playground]:
    with Playground("127.0.0.1", 0, Limits(2, 30.0, 2048)) as playground:
        serving = threading.Thread(target=playground.serve_forever)
        serving.start()
        yield playground
        playground.shutdown()
        serving.join()


def told(
    server: Playground, method: str, path: str, body: str | bytes | None = None, **headers: str
) -> tuple[int, dict[str, Any]]:
    """The status, and the object of JSON that came."""
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=60)
    try:
        connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
        reply = connection.getresponse()
        return reply.status, json.loads(reply.read())
    finally:
        connection.close()


def ask(server: Playground, question: object) -> dict[str, Any]:
    status, answer = told(server, "POST", "/ask", json.dumps(question), Content_Type="application/json")
    assert status == 200
    return answer


def test_questions_are_answered(server: Playground) -> None:
    assert ask(server, RIGHT)["verdict"] == "proved"
    assert ask(server, WRONG)["verdict"] == "refuted"


def test_examples_are_served(server: Playground) -> None:
    status, example = told(server, "GET", "/examples/toy-dialect-with-objects")
    assert status == 200
    assert example["before"]
    assert told(server, "GET", "/examples/..%2Fstore.py")[0] == 404


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Content_Type": "application/json", "Host": "evil.example"}, 403),
        ({"Content_Type": "application/json", "Origin": "http://evil.example"}, 403),
        ({"Content_Type": "application/json", "Origin": "null"}, 403),
        ({"Content_Type": "text/plain"}, 415),
        ({}, 415),
    ],
)
def test_pages_of_others_are_refused(server: Playground, headers: dict[str, str], status: int) -> None:
    assert told(server, "POST", "/ask", json.dumps(RIGHT), **headers)[0] == status


def test_an_own_page_is_answered(server: Playground) -> None:
    own = f"http://127.0.0.1:{server.server_port}"
    headers = {"Content_Type": "application/json", "Origin": own}
    assert told(server, "POST", "/ask", json.dumps(RIGHT), **headers)[0] == 200


def test_too_long_a_question_is_refused_unread(server: Playground) -> None:
    headers = {"Content_Type": "application/json", "Content_Length": str(MOST_BYTES + 1)}
    assert told(server, "POST", "/ask", None, **headers)[0] == 413


@pytest.mark.parametrize("length", ["-1", "many", "9" * 5000, "\u0663"])
def test_odd_lengths_are_refused(server: Playground, length: str) -> None:
    request = f"POST /ask HTTP/1.1\r\nHost: 127.0.0.1:{server.server_port}\r\nContent-Type: application/json\r\n"
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=30) as connection:
        connection.sendall(f"{request}Content-Length: {length}\r\n\r\n".encode())
        assert connection.recv(12) in (b"HTTP/1.1 411", b"HTTP/1.1 413")


@pytest.mark.parametrize("body", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b'{"action": "exec", "before": ""}', b"null"])
def test_what_is_no_question_is_told(server: Playground, body: bytes) -> None:
    status, answer = told(server, "POST", "/ask", body, Content_Type="application/json")
    assert status == 200
    assert answer["error"]
    assert "Traceback" not in answer["error"]


def test_there_are_no_other_pages(server: Playground) -> None:
    for path in ("/etc/passwd", "/../answers.py", "/examples", "/ask"):
        assert told(server, "GET", path)[0] == 404
    assert told(server, "POST", "/", "{}", Content_Type="application/json")[0] == 404


def test_many_at_once_all_get_their_own_answers(server: Playground) -> None:
    hostile = {"action": "validate", "before": "[i0", "after": ""}
    questions = [RIGHT, WRONG, hostile] * 2
    with ThreadPoolExecutor(len(questions)) as threads:
        answers = list(threads.map(lambda question: ask(server, question), questions))
    assert [answer.get("verdict", "error") for answer in answers] == ["proved", "refuted", "error"] * 2


def hang_up(server: Playground) -> None:
    for sent in (b"", b"POST /ask HTTP/1.1\r\n", b"\x16\x03\x01\x02\x00", b"GET / HTTP/1.1\r\n\r\n"):
        with socket.create_connection(("127.0.0.1", server.server_port)) as connection:
            connection.sendall(sent)


def test_somebody_who_hangs_up_disturbs_nobody(server: Playground) -> None:
    hang_up(server)
    assert ask(server, RIGHT)["verdict"] == "proved"


def held() -> tuple[int, int, int]:
    """The numbers of descriptors, threads and children of this process."""
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    return len(os.listdir("/proc/self/fd")), threading.active_count(), len(children)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="there is no /proc on this machine")
def test_nothing_is_left_behind(server: Playground) -> None:
    assert ask(server, RIGHT)["verdict"] == "proved"
    before = held()
    for _ in range(3):
        hang_up(server)
        ask(server, {"action": "validate", "before": "[i0"})
        told(server, "POST", "/ask", "{", Content_Type="text/plain")
    deadline = time.monotonic() + 30
    while held() > before and time.monotonic() < deadline:
        time.sleep(0.05)
    assert all(now <= then for now, then in zip(held(), before, strict=True))


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        (Limits(1, 0.05, 2048), "0.05 seconds was reached"),
        *((Limits(1, 30.0, most), "memory") for most in range(8, 17)),
    ],
)
def test_a_question_that_takes_too_much_is_ended(limits: Limits, said: str) -> None:
    with Playground("127.0.0.1", 0, limits) as small:
        answer = small.answered(json.dumps(RIGHT).encode())
        assert answer is not None
        assert said in json.loads(answer)["error"]


def test_an_import_that_fails_ends_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is no fault that is told: the server says that memory was short, most likely, and how the process ended."""

    def failing(_: object) -> None:
        raise ImportError("failed to map segment")

    monkeypatch.setattr("fuzz.serve.judge.answer", failing)
    monkeypatch.setattr("fuzz.serve.judge.collect_seldom", lambda: None)  # it is for the whole process
    monkeypatch.setattr(sys, "stdin", io.StringIO(json.dumps(RIGHT)))
    with pytest.raises(ImportError):
        judge.main()


def test_the_command_says_where_it_is_and_ends_with_ctrl_c(tmp_path: Path) -> None:
    process = Loaded(["traceproof", "serve", "--port", "0"], tmp_path)
    wait_until(lambda: "\n" in process.said)
    port = int(process.said.split("127.0.0.1:")[1].split("/")[0])
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
        connection.request("GET", "/")
        assert b"<textarea" in connection.getresponse().read()
    process.send_signal(signal.SIGINT)
    process.communicate(30)
    assert process.returncode == 0


def test_a_port_that_is_taken_is_the_users_mistake(server: Playground, tmp_path: Path) -> None:
    done = run_loaded(["traceproof", "serve", "--port", str(server.server_port)], tmp_path)
    assert done.returncode == 2
    assert "in use" in done.stderr
