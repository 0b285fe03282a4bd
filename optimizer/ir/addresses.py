"""The addresses that classes and functions have in runs."""

from __future__ import annotations

from functools import lru_cache

from optimizer.ir.rows.domain import wrap


@lru_cache(maxsize=1 << 10)
def address_of(name: str, word: int) -> int:
    """The machine int that `ConstClass(name)` is in every run, where it is not the class argument of a guard.

    It is a function of the name alone, so that all traces have the same; in long words different names have different
    addresses.
    """
    import hashlib  # here, because its import takes longer than parsing a small trace

    return wrap(int.from_bytes(hashlib.sha256(name.encode()).digest()[:8]), word)
