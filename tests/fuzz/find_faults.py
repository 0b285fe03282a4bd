"""How soon a campaign finds each planted fault: python tests/fuzz/find_faults.py [--seconds N] [NAME ...]"""

from __future__ import annotations

import argparse

from heap_faults import FAULTS, find


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="the limit for each fault")
    parser.add_argument("names", nargs="*", help="the faults; all by default")
    options = parser.parse_args()
    for fault in FAULTS:
        if options.names and fault.name not in options.names:
            continue
        found = find(fault, options.seconds)
        told = "not found" if found is None else f"{found.traces} traces, {found.seconds:.1f} s, seed {found.seed}"
        print(
            f"{fault.name}: {told}" + ("" if found is None else f"\n    {found.kind.value}: {found.message}"),
            flush=True,
        )


if __name__ == "__main__":
    main()
