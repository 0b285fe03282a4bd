"""The entry points of programs: Ctrl-C is an interruption from the start, also while the modules of a command load."""

import os
import signal
from importlib import import_module


def enter(module: str) -> None:
    """Calls `main` of the module, which is loaded here. Nothing is begun before that: Ctrl-C just ends the program."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)
    main = import_module(module).main
    try:
        if signal.getsignal(signal.SIGINT) is _end:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        main()
    except KeyboardInterrupt:  # before the command takes care of it, or behind that
        _end()


def _end(*_: object) -> None:
    os.write(2, b"interrupted\n")
    os._exit(130)


def validate() -> None:
    """The command `validate`."""
    enter("validator.command.validate")
