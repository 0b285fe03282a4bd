"""Fuzzing of trace optimizers: random traces, campaigns, and the corpus of what they found.

`traces` is a Hypothesis strategy, `assert_correct` says that an optimized trace is right; `generate` makes a trace with
its example from a `random.Random`. Each name is loaded when it is first asked for.
"""


def __getattr__(name: str) -> object:
    from optimizer.ir.lazy_names import load

    return load(__name__, name)
