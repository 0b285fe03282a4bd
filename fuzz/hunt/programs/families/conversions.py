"""Parts that go there and back, on longs, and on values that are several types."""

from fuzz.hunt.programs.part import parts

CONVERSIONS = parts(
    "conversions",
    """
by-text: w
    int(str($w))
by-hex: w
    int(hex($w), 16)
by-base: w
    int(format($m, "b"), 2)
by-float: w
    int(float($m & 2**53 - 1))
float-by-int: f
    float(int($f % 1e6))
float-by-text: f
    float(repr($f))
float-by-hex: f
    float.fromhex($f.hex())
by-bytes: w
    int.from_bytes(($m & 2**62 - 1).to_bytes(8, "little"), "little")
by-struct: w
    unpack("<q", pack("<q", $m))[0]
by-narrow-struct: w
    unpack("<hh", pack("<i", ($m & 2**31 - 1) - 2**30))[0]
by-wide-struct: w
    unpack("<I", pack("<HH", $m & 65535, $m & 65535))[0]
by-other-struct: w
    unpack(">h", pack("<H", $m & 65535))[0]
by-array: w
    array("h", [($m & 65535) - 32768, 1])[0]
by-chr: w
    ord(chr($m & 1023))
by-list: w
    list((($m, $w)))[0]
by-tuple: w
    tuple([$w, $m])[1]
by-dict: w
    {"a": $w, $s: $m}["a"]
by-bool: w
    int(bool($m)) * 3
by-negation: w
    --$m - -$w
by-divmod: w
    sum(divmod($m, $M))
text-by-bytes: t
    $t.encode("utf-8").decode("utf-8")
text-by-list: t
    "".join(list($t))
bytes-by-list: y
    bytes(list($y))
bytes-by-bytearray: y
    bytes(bytearray($y))
long-and-back: w
    $w + 2**64 - 2**64
long-masked: w
    $w + 2**70 & $M
long-shifted: w
    ($w << 64) >> 62
long-product: w
    $w * 2**64 // 2**63
long-remainder: w
    ($w + 2**65) % $M
long-quotient: i
    ($i + 2**66) // $M
long-negated: i
    -($i - 2**63)
long-square: w
    ($w + 2**32) ** 2 % $M
long-compared: b
    $i + 2**63 > $i
long-equal: b
    $i + 2**64 == $w + 2**64
border-crossed: i
    $w + 2**63 - 1
border-crossed-below: i
    -(2**63) - $w
border-of-product: i
    $w * 2**32
long-to-float: f
    float($i)
long-text: t
    str($i)[-5:]
long-bit-length: w
    ($i).bit_length()
long-xor: i
    $i ^ 2**64
constant-quotient: i
    $i // ($k or 4)
constant-remainder: w
    $i % ($k or 4)
is-int: b
    type($w) is int
is-bool: b
    isinstance($w, bool)
is-true: b
    ($b) is True
bool-shifted: w
    ($b) << $s
bool-opposite: w
    -($w < $m)
bool-complement: w
    ~($w == $m)
bool-compared: b
    ($w < $m) == ($w < $m)
not-not: w
    not not $m
compared-mixed: b
    $w < $f
equal-mixed: b
    $m == float($m)
complex: do
    $v1 = complex($f, $m) * complex(0, 1)
    $F = $v1.imag
int-of-other-type: do
    $v1 = (True, $m, 2.5, 2**64)[$s & 3]
    $F = $v1 * 2 + 0.5
none-or-int: do
    $v1 = (None, $m)[$b]
    $W = $k if $v1 is None else $v1 + 1
several-types: do
    $v1 = ($m, $t, $f, None, ($w,))[$s % 5]
    if isinstance($v1, (int, float)):
        $F = $v1 + 1
    elif isinstance($v1, str):
        $T = $v1
    elif $v1:
        $W = $v1[0]
""",
)
