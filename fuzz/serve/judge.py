"""The process that answers one question of the page: JSON on its standard input, JSON on its standard output."""

from __future__ import annotations

import json
import sys
import traceback

from fuzz.serve.answers import answer
from fuzz.serve.question import read_asked
from optimizer.ir.faults import InputError
from validator.command.exits import collect_seldom


def main() -> None:
    """Answers what is asked, whatever it is."""
    collect_seldom()
    try:
        told = answer(read_asked(json.load(sys.stdin)))
    except (InputError, ValueError) as mistake:
        told = {"error": str(mistake)}
    except (MemoryError, RecursionError, SystemError):  # the last is what an import says that has no memory left
        told = {"error": "these traces take more memory than a question may have"}
    except ImportError:
        raise  # it says anything where no memory is left; the server tells how the process ended
    except Exception:
        told = {"error": f"a fault of traceproof; please report it\n\n{traceback.format_exc()}"}
    json.dump(told, sys.stdout)


if __name__ == "__main__":
    main()
