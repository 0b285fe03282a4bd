"""Parts on integers of which an optimizer can know bits or borders."""

from fuzz.hunt.programs.part import parts

BOUNDED = parts(
    "bounded",
    """
sum: w
    $m + $m
difference: w
    $m - $m
product: i
    $m * $m
quotient: w
    $m // $M
remainder: w
    $m % $M
negative-quotient: w
    $m // -$M
shift-right: w
    $m >> $h
shift-left: i
    $m << $s
intersection: w
    $m & $m
union: w
    $m | $m
exclusive: w
    $m ^ $m
opposite: w
    -$m
complement: w
    ~$m & $M
lowest-bit: w
    $m1 & -$m1
divided-twice: w
    $m // 7 // $M
remainder-of-product: w
    $m * $k % $M
remainder-of-sum: w
    ($m * $k + $k) % $M
bytes-joined: w
    $m << 8 | $m & 255
byte-moved: w
    ($m >> 8 & 255) << $s
wrapped-sum: w
    intop.int_add($m, $m)
wrapped-product: w
    intop.int_mul($m, $m)
wrapped-shift: w
    intop.int_lshift($m, $h)
unsigned-shift: w
    intop.uint_rshift($m, $h)
unsigned-quotient: w
    intop.int_floordiv($m, $s + 1)
equal: b
    $m == $k
less: b
    $m < $k
at-least: b
    $m >= $m
sums-compared: b
    $m + $k < $m + $k
masks-compared: b
    $m & $M == $m & $M
is-any-bit-set: b
    $m & $M
is-shifted-away: b
    $m >> $s == 0
if-equal: do
    if $w1 == $k:
        $W = $w1 * $w1 + $w
if-not-equal: do
    if $w1 != $k:
        $W = $w1 == $k
if-bits: do
    if $w1 & $M == $k:
        $W = $w1 >> $s & $M
if-in-range: do
    if -$M < $w1 < $k:
        $W = ($w1 & $M) + ($w1 < $k)
        $B
if-sum-in-range: do
    if 0 <= $w1 < $M and $w1 < $w2:
        $W = $w2 - $w1 & $M
if-remainder: do
    if $w1 % $M == $k:
        $W = $w1 % $M + $w1 // $M
if-product: do
    if $w1 * $k == $k:
        $W = $w1
if-shifted: do
    if $w1 >> $s == $k:
        $W = $w1 & $M
if-union-is-zero: do
    if $w1 | $w2 == 0:
        $W = $w1 + $w2
if-exclusive-is-zero: do
    if $w1 ^ $w2 == 0:
        $W = $w1 - $w2
compared-again-behind: do
    if $w1 < $w2:
        $B
    if $w1 >= $w2:
        $B
twice-bounded: do
    if $w1 > $k:
        if $w1 < $M:
            $W = $w1 % $M
        else:
            $W = $w1 >> 1
""",
)
