"""Parts on plain integers, near the borders of machine integers too, and on wrapping ones."""

from fuzz.hunt.programs.part import parts

INTEGERS = parts(
    "integers",
    """
sum: i
    $i + $i
difference: i
    $i - $i
product: i
    $i * $i
product-of-constant: i
    $i * $k
negation: i
    -$i
invert: w
    ~$w
floor-division: i
    $i // $z
modulo: i
    $i % $z
constant-division: i
    $i // $M
constant-modulo: w
    $i % $M
negative-modulo: w
    $i % -$M
divmod: do
    $I, $W = divmod($i, $M)
mask: w
    $i & $M
or: w
    $w | $w
xor: w
    $w ^ $w
or-constant: w
    $w | $M
flip: w
    $w ^ $K
shift-right: w
    $w >> $h
shift-right-by-constant: w
    $w >> 3
shift-left: i
    $w << $s
shift-left-and-back: i
    $i1 << $s1 >> $s1
bit: w
    $i >> $h & 1
low-byte-signed: w
    (($i & 255) ^ 128) - 128
align: i
    $i & -8
absolute: i
    abs($i)
minimum: w
    min($w, $w)
maximum: w
    max($w, $w, 0)
clamp: w
    max(-$M, min($i, $M))
choose: w
    ($w if $b else $w)
bool-sum: w
    ($w < $w) + ($w == $w)
bool-difference: w
    ($w < $w) - ($w > $w)
bool-and: w
    ($w > 0) & ($w < $M)
bool-product: w
    ($w < $w) * $w
power: i
    $w ** 2
mod-power: w
    pow($s, $s, $M)
bit-length: w
    ($w).bit_length()
int-of-bool: w
    bool($b) + 0
less: b
    $i < $i
less-or-equal: b
    $i <= $i
equal: b
    $i == $i
not-equal: b
    $i != $k
border: b
    $i >= $K
between: b
    -$M <= $i < $M
chain: b
    $i < $i <= $i
difference-compared: b
    $i - $i < 0
sum-compared: b
    $i1 + $k > $i1
odd: b
    $i & 1
mask-compared: b
    $i & $M == $k
multiple: b
    $i % 3 == 0
both: b
    $b and $b
either: b
    $b or $b
not: b
    not $b
increase: do
    $I += $w
decrease: do
    $I -= $w
step-over-border: do
    $I = $K + $w
range-known: do
    if 0 <= $w1 < $M:
        $I = $w1 // $k + ($w1 >> 1) + ($w1 & $M)
range-checked-twice: do
    if $w1 < $k:
        $I = $w1 - $k
        if $w1 < $k:
            $I += $w1
overflow-undone: do
    $I = $i1 + $i2 - $i2
compare-and-compute: do
    if $w1 > $w2:
        $I = $w1 - $w2
    elif $w1 == $w2:
        $I = $w1 ^ $w2
    else:
        $I = $w2 - $w1
swap: do
    $W1, $W2 = $W2, $W1
wrap-by-hand: do
    $I = ($i + $i & $M) - $k
both-divisions: do
    $I = $w1 // $z1 * $z1 + $w1 % $z1
polymorphic: do
    $I = $f if $c else $i
""",
)

WRAPPING = parts(
    "wrapping",
    """
add: w
    intop.int_add($w, $w)
subtract: w
    intop.int_sub($w, $w)
multiply: w
    intop.int_mul($w, $w)
multiply-by-constant: w
    intop.int_mul($w, $k)
divide: w
    intop.int_floordiv($w, $s + 1)
divide-by-power: w
    intop.int_floordiv($w, 8)
remainder: w
    intop.int_mod($w, $s + 1)
remainder-by-power: w
    intop.int_mod($w, 16)
left: w
    intop.int_lshift($w, $h)
right: w
    intop.int_rshift($w, $h)
logical-right: w
    intop.uint_rshift($w, $h)
sign-extend: w
    intop.int_rshift(intop.int_lshift($w, 56), 56)
zero-extend: w
    intop.uint_rshift(intop.int_lshift($w, 32), 32)
and-by-shifts: w
    intop.int_lshift(intop.uint_rshift($w, 4), 4)
unsigned-less: b
    intop.int_add($w, -2**63) < intop.int_add($w, -2**63)
difference-sign: b
    intop.int_sub($w, $w) < 0
add-and-subtract: do
    $W = intop.int_sub(intop.int_add($w1, $w2), $w1)
sums-in-order: do
    $W = intop.int_add(intop.int_add($w1, $k), $k)
hash: do
    $W = intop.int_mul($w ^ $w, 1000003)
rotate: do
    $W = intop.int_lshift($w1, 7) | intop.uint_rshift($w1, 57)
""",
)
