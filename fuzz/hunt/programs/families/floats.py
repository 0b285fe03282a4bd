"""Parts on floats: inf, NaN and -0.0 are among the values."""

from fuzz.hunt.programs.part import parts

FLOATS = parts(
    "floats",
    """
sum: f
    $f + $f
difference: f
    $f - $f
product: f
    $f * $f
product-of-constant: f
    $f * $x
halve: f
    $f / 2.0
quotient: f
    $f / ($f or 1.0)
floor-quotient: f
    $f // ($f or $x or 1.0)
modulo: f
    $f % ($f or 1.0)
negation: f
    -$f
zero-added: f
    $f + 0.0
zero-subtracted: f
    0.0 - $f
times-one: f
    $f * -1.0
absolute: f
    abs($f)
of-int: f
    float($w)
mixed-sum: f
    $w + $f
true-division: f
    $w / $z
square-root: f
    sqrt(abs($f))
floor: f
    float(floor($f))
copysign: f
    copysign(1.5, $x)
power: f
    ($f % 1e9) ** 2
maximum: f
    max($f, $f)
choose: f
    ($f if $b else $f)
modulo-of-int: f
    $w % $x
rounded: w
    int($f)
rounded-small: w
    int($f % 1000.0)
is-integer: b
    $f.is_integer()
less: b
    $f < $f
equal: b
    $f == $f
not-itself: b
    $f1 != $f1
not-less: b
    not $f < $f
compared-with-int: b
    $f <= $w
truth: b
    $f
compared-with-constant: b
    $f > $x
add: do
    $F += $f
average: do
    $F = ($f + $f) * 0.5
infinite-or-not: do
    if $f1 - $f1 == 0.0:
        $W = int($f1) & $M
sign: do
    $W = (0.0 < $f1) - ($f1 < 0.0)
same-twice: do
    $F = $f1 * $f2 - $f1 * $f2
zero-sign: do
    $W = 1 if str($f * 0.0) == "-0.0" else 0
bits: do
    $W = unpack("<q", pack("<d", $f1 if $f1 == $f1 else 0.5))[0]
of-bits: do
    $F = unpack("<d", pack("<q", $w & 2**62 - 1))[0]
""",
)
