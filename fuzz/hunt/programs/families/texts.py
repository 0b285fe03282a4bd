"""Parts on str and bytes."""

from fuzz.hunt.programs.part import parts

TEXTS = parts(
    "texts",
    """
length: w
    len($t)
code-point: w
    ord($t[$s])
last-code-point: w
    ord($t[-1:] or "z")
find: w
    $t.find("b")
count: w
    $t.count("a")
parse: w
    int("12345"[:$s] or "7")
chr: t
    chr(97 + $s)
wide-chr: t
    chr(($w & 1023) + 200)
index: t
    $t[$s]
slice: t
    $t[1:$s]
tail: t
    $t[-$s:]
concatenate: t
    $t + $t
slice-of-sum: t
    ($t + $t)[$s:$s]
slice-of-slice: t
    $t[$s:][:$s]
sum-of-slices: t
    $t[:$s] + $t[$s:]
last-of-sum: t
    ($t + "xy")[-1]
character-of-sum: w
    ord(($t + $t + "z")[$s % 3])
character-compared: b
    $t[$s] < $t[$s]
slice-compared: b
    $t[1:2] == "a"
sum-compared: b
    $t + $t == $t
sum-known: b
    $t + "a" == "a" + $t
slice-of-bytes-sum: y
    ($y + $y)[$s:-1]
byte-of-sum: w
    ($y + b"xy")[$s]
bytes-slice-compared: b
    $y[:1] == b"a"
repeat: t
    "ab" * $s
upper: t
    $t.upper()
replace: t
    $t.replace("a", "bc")
join: t
    ",".join([$t, $t])
format-int: t
    str($w)
f-string: t
    f"{$W}:{$T}"
percent: t
    "%d-%s" % ($s, $t)
strip: t
    $t.strip("a ")
float-text: t
    repr($f)
hex: t
    hex($w & $M)
equal: b
    $t == $t
less: b
    $t < $t
contains: b
    "a" in $t
starts: b
    $t.startswith("a")
empty: b
    not $t
same-length: b
    len($t) == len($t)
append: do
    $T += chr(65 + $s)
split: do
    for $v1 in $t.split("a")[:4]:
        $T = $v1
walk: do
    for $v1 in $t[:6]:
        $W = ord($v1) ^ $w & 127
encode: do
    $Y = $t.encode("utf-8")
decode: do
    $T = $y.decode("latin-1")
byte: w
    $y[$s]
bytes-length: w
    len($y)
bytes-slice: y
    $y[$s:]
bytes-concatenate: y
    $y + $y
one-byte: y
    bytes([$w & 255, $s])
bytes-join: y
    b"".join([$y, b"-", $y])
int-to-bytes: y
    ($w & 2**32 - 1).to_bytes(4, "little")
bytes-equal: b
    $y == $y
bytes-less: b
    $y < $y
from-bytes: w
    int.from_bytes($y[:7], "big")
signed-from-bytes: w
    int.from_bytes($y[:8], "little", signed=True)
bytes-walk: do
    for $v1 in $y[:6]:
        $W = $v1 * 3 ^ $w & 255
""",
)
