"""The server of the playground: a page, its examples, and answers, each by a process of its own with limits.

Nothing but this machine's own page is answered: requests must name the address that is served (so that no other name
leads here), and must not come from a page of another origin.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import socket
from typing import Any
from urllib.parse import unquote

from fuzz.cases.store import SHIPPED_CORPUS, case_names, read_case
from fuzz.report.pair_page import playground
from fuzz.serve.turns import Turns
from optimizer.ir.faults import InputError
from validator.processes.child import Came, Child

MOST_BYTES = 1 << 20
"""The longest question."""

_CONNECTIONS = 256
_QUEUED_S = 120.0
_IDLE_S = 15.0
_JUDGE = (sys.executable, "-m", "fuzz.serve.judge")


@dataclass(frozen=True, slots=True)
class Limits:
    """The number of questions that are worked on at once; seconds and megabytes for each."""

    jobs: int
    timeout_s: float
    memory_mb: int


class Playground(ThreadingHTTPServer):
    """The server at `host` and `port` (0: any that is free). Raises OSError where that cannot be had."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, host: str, port: int, limits: Limits) -> None:
        super().__init__((host, port), _Handler)
        self.limits = limits
        self.names = {f"{name}:{self.server_port}" for name in {host, "127.0.0.1", "localhost"}}
        self.page = playground(case_names(SHIPPED_CORPUS)).encode()
        self._turns = Turns(limits.jobs)
        self._connections = threading.BoundedSemaphore(_CONNECTIONS)

    @property
    def address(self) -> str:
        return f"http://{self.server_address[0]!s}:{self.server_port}/"

    def process_request(self, request: socket | tuple[bytes, socket], client_address: Any) -> None:
        if self._connections.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: socket | tuple[bytes, socket], client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._connections.release()

    def handle_error(self, request: socket | tuple[bytes, socket], client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], OSError):  # somebody has hung up
            super().handle_error(request, client_address)

    def answered(self, question: bytes) -> bytes | None:
        """The answer to a question, in JSON, when its turn comes; None if that takes too long."""
        if not self._turns.take(_QUEUED_S):
            return None
        try:
            return _judged(question, self.limits)
        finally:
            self._turns.give_back()


def example(name: str) -> dict[str, str]:
    """The fields of the page for that case of the corpus that comes with traceproof, with what it is `about`. Raises
    InputError."""
    if name not in case_names(SHIPPED_CORPUS):
        raise InputError(f"there is no example {name!r}")
    case = read_case(SHIPPED_CORPUS, name)
    return {
        "before": case.before,
        "after": case.after or "",
        "about": " ".join(filter(None, (case.about, case.taught))),
        "inputs": ", ".join(f"{key}={value}" for key, value in case.state.inputs),
        "guards": case.options.guards.value,
        "failargs": case.options.failargs.value,
    }


def _judged(question: bytes, limits: Limits) -> bytes:
    child = Child(_JUDGE, limits.memory_mb)
    try:
        came = child.exchange(question, time.monotonic() + limits.timeout_s)
        code = child.end() if came is Came.END else None
    finally:
        child.kill()
    if code == 0:
        return bytes(child.output)
    if came is Came.LATE:
        return _error(
            f"the limit of {limits.timeout_s:g} seconds was reached; give traceproof serve a larger --timeout"
        )
    return _error(
        f"the process that worked on this has ended, most likely for want of memory\n{child.report()}".strip()
    )


def _error(text: str) -> bytes:
    return json.dumps({"error": text}).encode()


class _Handler(BaseHTTPRequestHandler):
    server: Playground
    protocol_version = "HTTP/1.1"
    server_version = "traceproof"
    sys_version = ""
    timeout = _IDLE_S

    def do_GET(self) -> None:
        if not self._is_ours():
            return
        match self.path.split("?")[0].split("/")[1:]:
            case [""]:
                self._send(self.server.page, "text/html; charset=utf-8")
            case ["examples", name]:
                try:
                    self._send(json.dumps(example(unquote(name))).encode(), _JSON)
                except InputError as mistake:
                    self._refuse(HTTPStatus.NOT_FOUND, str(mistake))
            case _:
                self._refuse(HTTPStatus.NOT_FOUND, "there is no such page")

    def do_POST(self) -> None:
        if not self._is_ours():
            return
        length = self.headers.get("Content-Length", "")
        if self.path != "/ask":
            self._refuse(HTTPStatus.NOT_FOUND, "there is no such page")
        elif self.headers.get_content_type() != _JSON:
            self._refuse(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"{_JSON} was expected")
        elif not length.isascii() or not length.isdecimal():
            self._refuse(HTTPStatus.LENGTH_REQUIRED, "a Content-Length was expected")
        elif len(length) > 9 or int(length) > MOST_BYTES:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a request has at most {MOST_BYTES} bytes")
        else:
            told = self.server.answered(self.rfile.read(int(length)))
            if told is None:
                self._refuse(HTTPStatus.SERVICE_UNAVAILABLE, "too many requests at once; try again later")
            else:
                self._send(told, _JSON)

    def _is_ours(self) -> bool:
        host, origin = self.headers.get("Host", ""), self.headers.get("Origin")
        if host in self.server.names and origin in (None, f"http://{host}"):
            return True
        self._refuse(HTTPStatus.FORBIDDEN, "only the page of this address is answered")
        return False

    def _send(self, data: bytes, kind: str, status: HTTPStatus = HTTPStatus.OK) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def _refuse(self, status: HTTPStatus, why: str) -> None:
        self.close_connection = True  # what follows of the request is not read
        self._send(_error(why), _JSON, status)

    def log_message(self, format: str, *args: Any) -> None:  # the library's name
        """Nothing: the terminal is its user's."""


_JSON = "application/json"
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
