"""Parts on what one iteration hands to the next: late, in turn, by another name, of another type, as an object."""

from fuzz.hunt.programs.part import parts

CARRIED = parts(
    "carried",
    """
delayed: do
    $W1 = $W2
    $W2 = $w
delayed-twice: do
    $W1, $W2, $W3 = $W2, $W3, $w
last-two: do
    $I1, $I2 = $I2, $I1 + $I2
count-down: do
    $W1 = $W1 - 1 if $W1 else $k
toggled: do
    $W1 = not $W1
reflected: do
    $W1 = $k - $W1
phase-of-three: do
    $W1 = ($W1 + 1) % 3
    if $W1 == 0:
        $B
phase-of-four: do
    $W1 = $W1 + 1 & 3
    if $W1 == $s:
        $B
    elif $W1 == 2:
        $W = $w
first-time: do
    $v1 = True
    loop:
    if $v1:
        $v1 = False
        $B
seldom-again: do
    $v1 = 0
    loop:
    if $v1 == 0:
        $v1 = $s
        $B
    else:
        $v1 -= 1
largest: do
    $W1 = max($W1, $w)
smallest: do
    $W1 = min($W1, $w)
shifted-in: do
    $W1 = ($W1 << 1 | $w & 1) & $M
congruential: do
    $W1 = $W1 * 5 + 1 & $M
summed: do
    $W1 = $W1 + $w & $M
saturated: do
    $W1 = $W1 + 1 if $W1 < $M else 0
divided-away: do
    $W1 = $W1 // 3 or $w
halved: do
    $W1 = $W1 >> 1
masked: do
    $W1 = $W1 & $m
made-constant: do
    $W1 = $k
constants-in-turn: do
    $W1 = $k if $b else $k
changed-from-last: do
    $v1 = None
    loop:
    if $v1 == $w1:
        $B
    $v1 = $w1
none-or-int: do
    $v1 = None
    loop:
    if $v1 is None:
        $v1 = $w
    else:
        $W = $v1
        $v1 = None
none-or-object: do
    $v1 = None
    loop:
    if $v1 is None:
        $v1 = Point($w, $w)
    elif $b:
        $W = $v1.a
        $v1 = None
float-or-int: do
    $v1 = 0
    loop:
    $v1 = $f if $b else $w
    $F = $v1 + 0.5
becomes-float: do
    $v1 = 0
    loop:
    $v1 = $v1 + (0.5 if $c else 1)
    $F = $v1 % 1000.0
float: do
    $v1 = 0.0
    loop:
    $F = $v1
    $v1 = $f
type-by-turns: do
    $W1 = float($W1) if $c else int($W1)
object: do
    $v1 = Point(1, 2)
    loop:
    $v1 = Point($w, $v1.a)
    $W = $v1.b
object-of-two-classes: do
    $v1 = Point(1, 2)
    loop:
    $v1 = Square($w, $v1.a) if $b else Point($v1.b, $w)
    $W = $v1.get()
object-that-escapes-late: do
    $v1 = Point(1, 2)
    loop:
    $v1 = Point($v1.b, $w)
    if $c:
        $O = $v1
    $W = $v1.a
object-or-its-alias: do
    $v1 = $o1
    loop:
    if $b:
        $v1 = Point($w, $w)
    $v1.a = $w
    $W = $o1.a
chain-of-objects: do
    $v1 = Point(1, 2)
    loop:
    $v2 = Point($w, $v1.a)
    $v2.link = $v1
    $v1 = $v2
    if turn & 7 == $s:
        $v1.link = None
    $W = $v1.link.b if $v1.link else $v1.a
linked-to-itself: do
    $v1 = Point($w, $w)
    $v1.link = $v1
    $W = $v1.link.link.a
    if $c:
        $O = $v1
linked-in-a-ring: do
    $v1 = Point($w, 1)
    $v2 = Square($w, 2)
    $v1.link = $v2
    $v2.link = $v1
    if $c:
        $O = $v1
    $v2.a = $w
    $W = $v1.link.link.link.a
swapped-objects: do
    $v1, $v2 = Point(1, 2), Point(3, 4)
    loop:
    $v1, $v2 = $v2, $v1
    $v1.a = $w
    $W = $v2.a
tuple: do
    $v1 = (0, 1)
    loop:
    $v1 = ($v1[1], $w)
    $W = $v1[0]
list: do
    $v1 = [0, 1]
    loop:
    $v1 = [$v1[1], $w]
    $W = $v1[0]
list-that-may-be-new: do
    $v1 = [1, 2, 3]
    loop:
    if $b:
        $v1 = [$w, $w]
    $v1[1] = $w
    $W = $v1[0] ^ len($v1)
shifted-text: do
    $T1 = $T1[1:] + $t[:1]
renamed-object: do
    $O1 = $O2
renamed-late-object: do
    if $c:
        $O1 = $O2
swapped-locals-objects: do
    $O1, $O2 = $O2, $O1
renamed-list: do
    if $b:
        $L1 = $L2
swapped-lists: do
    $L1, $L2 = $L2, $L1
renamed-floats: do
    if $c:
        $E1 = $E2
renamed-bytearray: do
    if $b:
        $A1 = $A2
swapped-arrays: do
    $R1, $R2 = $R2, $R1
renamed-array: do
    if $c:
        $Q1 = $Q2
""",
)
