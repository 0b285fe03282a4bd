"""A headless Chromium for tests, spoken to over a pipe in its DevTools protocol."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

PROGRAM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

_OPTIONS = (
    "--headless",
    "--no-sandbox",  # tests may run as root
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)


class Page:
    """A tab. `complaints` are messages of its console, errors and violations of its policy, `requests` the addresses
    that it asked for."""

    def __init__(self, browser: _Pipe, session: str) -> None:
        self._browser = browser
        self._session = session
        self.complaints: list[str] = []
        self.requests: list[str] = []
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._ask(f"{domain}.enable")

    def open(self, place: Path | str, width: int, scheme: str, media: str = "screen") -> None:
        """Shows a file or an address, `width` CSS pixels wide, in the `scheme` light or dark."""
        self._ask("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        preferred = [{"name": "prefers-color-scheme", "value": scheme}]
        self._ask("Emulation.setEmulatedMedia", media=media, features=preferred)
        self._ask("Page.navigate", url=place if isinstance(place, str) else place.as_uri())
        self._browser.until("Page.loadEventFired", self._heard)

    def evaluate(self, expression: str) -> Any:
        """The value of an expression of JavaScript."""
        answer = self._ask("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def wait_for(self, expression: str, seconds: float = 20) -> None:
        """Waits until an expression of JavaScript is true."""
        deadline = time.monotonic() + seconds
        while not self.evaluate(expression):
            assert time.monotonic() < deadline, expression
            time.sleep(0.05)

    def press(self, key: str, *, control: bool = False) -> None:
        """Presses a key such as `Enter` or `Tab`."""
        code = {"Enter": 13, "Tab": 9}[key]
        for kind in ("rawKeyDown", "keyUp"):
            held = 2 if control else 0
            self._ask(
                "Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, modifiers=held
            )

    def type(self, text: str) -> None:
        """Writes a text where the focus is."""
        self._ask("Input.insertText", text=text)

    def screenshot(self, path: Path) -> None:
        """The whole page as a PNG."""
        size = self._ask("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        answer = self._ask("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
        path.write_bytes(base64.b64decode(answer["data"]))

    def _ask(self, method: str, **params: Any) -> dict[str, Any]:
        return self._browser.ask(method, params, self._session, self._heard)

    def _heard(self, told: dict[str, Any]) -> None:
        params = told.get("params", {})
        match told.get("method"):
            case "Runtime.consoleAPICalled" | "Runtime.exceptionThrown" | "Log.entryAdded":
                self.complaints.append(json.dumps(params))
            case "Network.requestWillBeSent":
                self.requests.append(params["request"]["url"])


class _Pipe:
    def __init__(self, to: IO[bytes], of: IO[bytes]) -> None:
        self._to, self._of = to, of
        self._number = 0

    def ask(self, method: str, params: dict[str, Any], session: str | None = None, heard: Any = None) -> dict[str, Any]:
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if session is not None:
            message["sessionId"] = session
        self._to.write(json.dumps(message).encode() + b"\0")
        self._to.flush()
        while True:
            told = self._read()
            if told.get("id") == self._number:
                assert "error" not in told, told
                result: dict[str, Any] = told["result"]
                return result
            if heard is not None:
                heard(told)

    def until(self, method: str, heard: Any) -> None:
        while (told := self._read()).get("method") != method:
            heard(told)

    def _read(self) -> dict[str, Any]:
        text = bytearray()
        while (byte := self._of.read(1)) != b"\0":
            assert byte, "the browser has ended"
            text += byte
        told: dict[str, Any] = json.loads(text)
        return told


@contextmanager
def open_page(profile: Path) -> Iterator[Page]:
    """A tab of a new browser, whose profile is that new folder."""
    assert PROGRAM is not None
    asked, to = os.pipe()
    of, answered = os.pipe()
    # The browser reads from descriptor 3 and writes to 4.
    command = ["bash", "-c", f'exec "$@" 3<&{asked} 4>&{answered}', "bash", PROGRAM, *_OPTIONS]
    with (profile.parent / "chromium.log").open("w") as log:
        process = subprocess.Popen(
            [*command, f"--user-data-dir={profile}"], pass_fds=(asked, answered), stdout=log, stderr=log
        )
    os.close(asked)
    os.close(answered)
    with os.fdopen(to, "wb") as writing, os.fdopen(of, "rb") as reading:
        pipe = _Pipe(writing, reading)
        try:
            target = pipe.ask("Target.createTarget", {"url": "about:blank"})["targetId"]
            session = pipe.ask("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
            yield Page(pipe, session)
        finally:
            process.terminate()
            process.wait()
