"""The text of traces, declarations and heaps: reading and writing it."""


def __getattr__(name: str) -> object:
    from optimizer.ir.lazy_names import load

    return load(__name__, name)
