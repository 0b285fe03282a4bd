"""Pairs of traces on strings, and what must be said of them."""

from __future__ import annotations

CONCAT = """[p0, p1]
i2 = strlen(p0)
i3 = strlen(p1)
i4 = int_add(i2, i3)
i5 = int_ge(i4, i2)
guard_true(i5) []
p5 = newstr(i4)
"""
BOTH = "copystrcontent(p0, p5, 0, 0, i2)\ncopystrcontent(p1, p5, 0, i2, i3)\nfinish(p5)"
COPIED = "[p0, p1, i2, i3, i4, i5]\n"
IS_ABC = '[p0]\ni5 = ptr_eq(p0, "abc")\nguard_true(i5) []\n'

NAMED = '+++\n[call.fill]\nresult = "void"\nwrites = ["*", "str"]\n+++\n'

PROVED = {
    "events leave strings as they are": (
        "[p0]\ni1 = strgetitem(p0, 1)\nescape_n(p0)\ni2 = strgetitem(p0, 1)\ni3 = strhash(p0)\nescape_n()\n"
        "i4 = strhash(p0)\nfinish(i1, i2, i3, i4)",
        "[p0]\ni1 = strgetitem(p0, 1)\nescape_n(p0)\ni3 = strhash(p0)\nescape_n()\nfinish(i1, i1, i3, i3)",
    ),
    "events leave new strings as they are": (
        "[i0]\np2 = newunicode(2)\nunicodesetitem(p2, 0, 65)\np3 = escape_r(p2)\ni3 = unicodegetitem(p2, 0)\n"
        "unicodesetitem(p2, 1, 66)\nescape_n(p2)\ni4 = unicodegetitem(p2, 1)\nfinish(i3, i4)",
        "[i0]\np2 = newunicode(2)\nunicodesetitem(p2, 0, 65)\np3 = escape_r(p2)\nunicodesetitem(p2, 1, 66)\n"
        "escape_n(p2)\nfinish(65, 66)",
    ),
    "a copy of what is not written": (
        "[p0, i1]\np2 = newstr(3)\nstrsetitem(p2, 0, 1)\ni4 = strgetitem(p0, i1)\ni5 = int_lt(i1, 3)\n"
        "guard_true(i5) []\nfinish(i1)",
        "[p0, i1]\np2 = newstr(3)\nstrsetitem(p2, 0, 1)\ni4 = strgetitem(p0, i1)\ni5 = int_lt(i1, 3)\n"
        "guard_true(i5) []\np3 = newstr(3)\ncopystrcontent(p2, p3, 0, 0, i1)\nfinish(i1)",
    ),
    "a copy of what is partly written": (
        "[i1]\np2 = newstr(2)\nstrsetitem(p2, 0, 65)\np3 = newstr(2)\ncopystrcontent(p2, p3, 0, 0, 2)\n"
        "i4 = strgetitem(p3, 0)\nfinish(p3, i4)",
        "[i1]\np3 = newstr(2)\nstrsetitem(p3, 0, 65)\nfinish(p3, 65)",
    ),
    "what may be a constant": (
        '[p0]\ni1 = strgetitem(p0, 1)\ni2 = ptr_eq(p0, "abc")\ni3 = int_eq(i1, 98)\ni4 = int_and(i2, i3)\nfinish(i4)\n',
        '[p0]\ni2 = ptr_eq(p0, "abc")\nfinish(i2)\n',
    ),
    "a copy item by item, in another order": (
        "[p0, i1]\np2 = newstr(3)\ncopystrcontent(p0, p2, i1, 0, 3)\nfinish(p2)",
        "[p0, i1]\np2 = newstr(3)\ni3 = strgetitem(p0, i1)\ni4 = int_add(i1, 1)\ni5 = strgetitem(p0, i4)\n"
        "i6 = int_add(i1, 2)\ni7 = strgetitem(p0, i6)\nstrsetitem(p2, 2, i7)\nstrsetitem(p2, 0, i3)\n"
        "strsetitem(p2, 1, i5)\nfinish(p2)",
    ),
    "the parts of a concatenation in another order": (
        CONCAT + BOTH,
        CONCAT + "copystrcontent(p1, p5, 0, i2, i3)\ncopystrcontent(p0, p5, 0, 0, i2)\nfinish(p5)",
    ),
    "a read of what was copied": (
        "[p0, p1, i2, i3]\ncopystrcontent(p0, p1, 0, 0, i2)\ni4 = uint_lt(i3, i2)\nguard_true(i4) []\n"
        "i5 = strgetitem(p1, i3)\nfinish(i5)",
        "[p0, p1, i2, i3]\ni4 = uint_lt(i3, i2)\nguard_true(i4, origin=0) [] {\n"
        "    copystrcontent(p0, p1, 0, 0, i2)\n}\ni5 = strgetitem(p0, i3)\n"
        "copystrcontent(p0, p1, 0, 0, i2)\nfinish(i5)",
    ),
    "a copy of a string onto itself": (
        "[p0, i1, i3]\ncopystrcontent(p0, p0, i1, i1, i3)\nfinish(p0)",
        "[p0, i1, i3]\nfinish(p0)",
    ),
    "constants are folded, whatever events do": (
        '[]\ni1 = strgetitem("abc", 1)\nescape_n()\ni2 = strlen("abc")\ni3 = strgetitem("abc", 2)\nfinish(i1, i2, i3)',
        "[]\nescape_n()\nfinish(98, 3, 99)",
    ),
    "what is a constant keeps its items": (
        IS_ABC + "escape_n(p0)\ni1 = strgetitem(p0, 1)\nfinish(i1)",
        IS_ABC + "escape_n(p0)\nfinish(98)",
    ),
    "different constants": (
        '[]\ni1 = ptr_eq("abc", "abd")\ni2 = ptr_eq("abc", u"abc")\ni3 = ptr_eq("", u"")\nfinish(i1, i2, i3)',
        "[]\nfinish(0, 0, 0)",
    ),
    "the range of a byte": (
        "[p0]\ni1 = strgetitem(p0, 1)\ni2 = int_lt(i1, 256)\nguard_true(i2) []\nfinish()",
        "[p0]\ni1 = strgetitem(p0, 1)\nfinish()",
    ),
    "the range of a code point": (
        "[p0]\ni1 = unicodegetitem(p0, 1)\ni2 = int_le(i1, 0x10ffff)\nguard_true(i2) []\nfinish()",
        "[p0]\nfinish()",
    ),
    "a hash again": (
        "[p0]\ni1 = strhash(p0)\np2 = newstr(1)\nstrsetitem(p2, 0, 65)\ni3 = strhash(p0)\ni4 = int_is_true(i3)\n"
        "finish(i1, i3, i4)",
        "[p0]\ni1 = strhash(p0)\nfinish(i1, i1, 1)",
    ),
    "equal strings have equal hashes": (
        "[p0]\ni1 = strlen(p0)\nguard_value(i1, 2) []\ni2 = strhash(p0)\np3 = newstr(2)\n"
        "copystrcontent(p0, p3, 0, 0, i1)\ni4 = strhash(p3)\nfinish(i2, i4)",
        "[p0]\ni1 = strlen(p0)\nguard_value(i1, 2) []\ni2 = strhash(p0)\nfinish(i2, i2)",
    ),
    "the hash of what equals a constant": (
        '[]\np1 = newstr(1)\nstrsetitem(p1, 0, 97)\ni2 = strhash(p1)\ni3 = strhash("a")\nfinish(i2, i3)',
        '[]\ni3 = strhash("a")\nfinish(i3, i3)',
    ),
    "a string of bytes is none of code points": (
        "[p0, p1]\ni2 = strgetitem(p0, 0)\nunicodesetitem(p1, 0, 70)\ni3 = strgetitem(p0, 0)\ni4 = ptr_eq(p0, p1)\n"
        "finish(i2, i3, i4)",
        "[p0, p1]\ni2 = strgetitem(p0, 0)\nunicodesetitem(p1, 0, 70)\nfinish(i2, i2, 0)",
    ),
    "a fresh string is no constant": (
        '[]\np1 = newstr(1)\nstrsetitem(p1, 0, 97)\ni2 = ptr_eq(p1, "a")\nfinish(i2, p1)',
        "[]\np1 = newstr(1)\nstrsetitem(p1, 0, 97)\nfinish(0, p1)",
    ),
}

WRONG = {
    "a read ahead of a copy": (
        COPIED + "copystrcontent(p0, p1, i2, i3, i4)\ni6 = strgetitem(p1, i5)\nfinish(i6)",
        COPIED + "i6 = strgetitem(p1, i5)\ncopystrcontent(p0, p1, i2, i3, i4)\nfinish(i6)",
    ),
    "a concatenation that lacks the last item": (
        CONCAT + BOTH,
        CONCAT + "copystrcontent(p0, p5, 0, 0, i2)\ni6 = int_sub(i3, 1)\ni7 = int_force_ge_zero(i6)\n"
        "copystrcontent(p1, p5, 0, i2, i7)\nfinish(p5)",
    ),
    "a concatenation the other way round": (
        CONCAT + BOTH,
        CONCAT + "copystrcontent(p1, p5, 0, 0, i3)\ncopystrcontent(p0, p5, 0, i3, i2)\nfinish(p5)",
    ),
    "an overlapping copy, item by item": (
        "[p0]\ncopystrcontent(p0, p0, 0, 1, 2)\nfinish()",
        "[p0]\ni1 = strgetitem(p0, 0)\nstrsetitem(p0, 1, i1)\ni2 = strgetitem(p0, 1)\nstrsetitem(p0, 2, i2)\nfinish()",
    ),
    "an overlapping copy of two names": (
        "[p0, p1]\ncopystrcontent(p0, p1, 0, 1, 2)\nfinish()",
        "[p0, p1]\ni1 = strgetitem(p0, 0)\nstrsetitem(p1, 1, i1)\ni2 = strgetitem(p0, 1)\nstrsetitem(p1, 2, i2)\n"
        "finish()",
    ),
    "a read ahead of an overlapping copy": (
        "[p0, i1, i2, i3, i4]\ncopystrcontent(p0, p0, i1, i2, i3)\ni5 = strgetitem(p0, i4)\nfinish(i5)",
        "[p0, i1, i2, i3, i4]\ni5 = strgetitem(p0, i4)\ncopystrcontent(p0, p0, i1, i2, i3)\nfinish(i5)",
    ),
    "what an event may have changed": (
        f"{NAMED}[p0]\ni1 = strgetitem(p0, 1)\ncall_n(1, descr=fill)\ni2 = strgetitem(p0, 1)\nfinish(i1, i2)",
        f"{NAMED}[p0]\ni1 = strgetitem(p0, 1)\ncall_n(1, descr=fill)\nfinish(i1, i1)",
    ),
    "what the trace itself has changed behind an event": (
        "[p0, p1]\ni1 = strgetitem(p0, 1)\nescape_n(p0)\nstrsetitem(p1, 1, 65)\ni2 = strgetitem(p0, 1)\nfinish(i1, i2)",
        "[p0, p1]\ni1 = strgetitem(p0, 1)\nescape_n(p0)\nstrsetitem(p1, 1, 65)\nfinish(i1, i1)",
    ),
    "an event does not fill what is not written": (
        "[]\np2 = newstr(2)\nescape_n(p2)\nfinish()",
        "[]\np2 = newstr(2)\nescape_n(p2)\ni3 = strgetitem(p2, 0)\nfinish()",
    ),
    "too narrow a range": (
        "[p0]\ni1 = unicodegetitem(p0, 1)\ni2 = int_lt(i1, 0x10ffff)\nguard_true(i2) []\nfinish()",
        "[p0]\nfinish()",
    ),
    "the hash of another one": (
        "[p0, p1]\ni1 = strhash(p0)\ni3 = strhash(p1)\nfinish(i1, i3)",
        "[p0, p1]\ni1 = strhash(p0)\nfinish(i1, i1)",
    ),
    "the hash of a longer one": (
        '[]\np1 = newstr(2)\nstrsetitem(p1, 0, 97)\nstrsetitem(p1, 1, 0)\ni2 = strhash(p1)\ni3 = strhash("a")\n'
        "finish(i2, i3)",
        '[]\ni3 = strhash("a")\nfinish(i3, i3)',
    ),
    "the hash of what has changed": (
        "[p0]\ni1 = strhash(p0)\nstrsetitem(p0, 0, 65)\ni3 = strhash(p0)\nfinish(i1, i3)",
        "[p0]\ni1 = strhash(p0)\nstrsetitem(p0, 0, 65)\nfinish(i1, i1)",
    ),
    "a hash that is said to be positive": (
        "[p0]\ni1 = strhash(p0)\ni2 = int_gt(i1, 0)\nfinish(i2)",
        "[p0]\nfinish(1)",
    ),
    "a read of what is not written": (
        "[i1]\np2 = newstr(3)\nstrsetitem(p2, 0, 1)\nfinish(i1)",
        "[i1]\np2 = newstr(3)\nstrsetitem(p2, 0, 1)\ni3 = strgetitem(p2, 1)\nfinish(i1)",
    ),
    "a load of a copy of what is not written": (
        "[p0]\np2 = newstr(3)\np3 = newstr(2)\ncopystrcontent(p2, p3, 0, 0, 2)\nfinish(p3)",
        "[p0]\np2 = newstr(3)\np3 = newstr(2)\ncopystrcontent(p2, p3, 0, 0, 2)\ni4 = strgetitem(p3, 1)\nfinish(p3)",
    ),
    "a load of a copy of so many items that are not written": (
        "[p0, i1]\np2 = newstr(3)\np3 = newstr(2)\ncopystrcontent(p2, p3, 0, 0, i1)\nfinish(p3)",
        "[p0, i1]\np2 = newstr(3)\np3 = newstr(2)\nstrsetitem(p3, 0, 5)\ncopystrcontent(p2, p3, 0, 0, i1)\n"
        "i4 = strgetitem(p3, 0)\nfinish(p3)",
    ),
    "a copy of what is not written over what is": (
        "[]\np2 = newstr(1)\np3 = newstr(1)\nstrsetitem(p3, 0, 5)\nfinish(p3)",
        "[]\np2 = newstr(1)\np3 = newstr(1)\nstrsetitem(p3, 0, 5)\ncopystrcontent(p2, p3, 0, 0, 1)\nfinish(p3)",
    ),
    "another result behind a copy of what is not written": (
        "[i1]\np2 = newstr(3)\np3 = newstr(3)\ncopystrcontent(p2, p3, 0, 0, 2)\nfinish(i1)",
        "[i1]\nfinish(7)",
    ),
    "an equal string for a constant": (
        '[]\nfinish("ab")',
        "[]\np1 = newstr(2)\nstrsetitem(p1, 0, 97)\nstrsetitem(p1, 1, 98)\nfinish(p1)",
    ),
    "an input that may be a constant": (
        '[p0]\ni1 = strlen(p0)\ni2 = ptr_eq(p0, "abc")\nfinish(i2)',
        "[p0]\nfinish(0)",
    ),
    "a store to a constant": (
        '[p0]\ni1 = ptr_eq(p0, "abc")\ni2 = strgetitem(p0, 0)\nguard_true(i1) []\nfinish()',
        '[p0]\ni1 = ptr_eq(p0, "abc")\ni2 = strgetitem(p0, 0)\nguard_true(i1) []\nstrsetitem(p0, 0, i2)\nfinish()',
    ),
    "the length of another one": (
        "[p0, p1]\ni2 = strlen(p0)\ni3 = strlen(p1)\nfinish(i2, i3)",
        "[p0, p1]\ni2 = strlen(p0)\nfinish(i2, i2)",
    ),
    "a store outside": (
        "[p0, i1]\ni2 = strlen(p0)\nguard_value(i2, 3) []\nfinish()",
        "[p0, i1]\ni2 = strlen(p0)\nguard_value(i2, 3) []\np3 = newstr(i2)\nstrsetitem(p3, 3, 1)\nfinish()",
    ),
    "an item that is no byte": (
        "[i1]\np3 = newstr(1)\nfinish()",
        "[i1]\np3 = newstr(1)\nstrsetitem(p3, 0, i1)\nfinish()",
    ),
    "a string that is not rebuilt at a guard": (
        "[i0]\np1 = newstr(2)\nstrsetitem(p1, 0, 65)\nstrsetitem(p1, 1, 66)\nguard_true(i0) [p1]\nfinish()",
        "[i0]\nguard_true(i0, origin=0) [p1] {\n    p1 = newstr(2)\n    strsetitem(p1, 0, 65)\n}\nfinish()",
    ),
    "a copy behind the guard that hands it over": (
        "[p0, i1]\np2 = newstr(i1)\ncopystrcontent(p0, p2, 0, 0, i1)\ni3 = strlen(p0)\ni4 = int_eq(i3, i1)\n"
        "guard_true(i4) [p2]\nfinish(p2)",
        "[p0, i1]\np2 = newstr(i1)\ni3 = strlen(p0)\ni4 = int_eq(i3, i1)\nguard_true(i4, origin=0) [p2]\n"
        "copystrcontent(p0, p2, 0, 0, i1)\nfinish(p2)",
    ),
    "a copy past a store to its source": (
        "[p0, p1, i2]\ncopystrcontent(p0, p1, 0, 0, i2)\nstrsetitem(p0, 0, 7)\nfinish()",
        "[p0, p1, i2]\nstrsetitem(p0, 0, 7)\ncopystrcontent(p0, p1, 0, 0, i2)\nfinish()",
    ),
    "a copy past an event": (
        "[p0, i1]\np2 = newstr(i1)\nescape_n(p0)\ncopystrcontent(p0, p2, 0, 0, i1)\nfinish(p2)",
        "[p0, i1]\np2 = newstr(i1)\ncopystrcontent(p0, p2, 0, 0, i1)\nescape_n(p0)\nfinish(p2)",
    ),
}
