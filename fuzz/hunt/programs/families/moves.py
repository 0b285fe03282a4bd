"""Parts that move values of any type between variables, tuples, lists, objects and cells."""

from fuzz.hunt.programs.part import parts

MOVES = parts(
    "moves",
    """
assigned: do
    $J1 = $j
exchanged: do
    $J1, $J2 = $J2, $J1
rotated: do
    $J1, $J2, $J3 = $J2, $J3, $J1
assigned-seldom: do
    if $c:
        $J = $j
assigned-or-not: do
    if $b:
        $J = $j
one-or-other: do
    $J = $j if $b else $j
turn: do
    $J = turn
int: do
    $J = $m
float: do
    $J = $f
text: do
    $J = $t
tuple-made: do
    $U = ($j, $j)
tuple-shifted: do
    $U1 = ($U1[1], $j)
tuple-turned: do
    $U1 = ($j, $U1[0])
tuple-taken: do
    $J = $u[0]
tuple-unpacked: do
    $J1, $J2 = $u[:2]
list-made: do
    $N = [$j, $j]
list-shifted: do
    $N1 = [$N1[1], $j]
list-taken: do
    $J = $n[0]
list-written: do
    $n[$s] = $j
list-exchanged: do
    $n1[0], $J1 = $J1, $n1[0]
object-made: do
    $O = Point($j, $j)
object-shifted: do
    $O1 = Slotted($O1.b, $j)
object-taken: do
    $J = $o.a
object-written: do
    $o.b = $j
object-exchanged: do
    $o1.a, $J1 = $J1, $o1.a
cell-written: do
    def $v1(z):
        nonlocal $J1
        $J1 = z
    loop:
    $v1($j)
default: do
    def $v1(z=$j):
        return z
    loop:
    $J = $v1() if $b else $v1($j)
carried-tuple: do
    $v1 = (None, 0)
    loop:
    $J = $v1[0]
    $v1 = ($v1[1], $j)
carried-list: do
    $v1 = [0, 1.5]
    loop:
    $J = $v1[1]
    $v1 = [$j, $v1[0]]
carried-object: do
    $v1 = Point(None, 0)
    loop:
    $J = $v1.a
    $v1 = Point($v1.b, $j)
carried-in-two: do
    $v1 = (0, 0)
    $v2 = [None, None]
    loop:
    $v1, $v2 = ($v2[1], $j), [$v1[0], $j]
    $J = $v1[1]
if-none: do
    if $J1 is None:
        $J1 = $m
    else:
        $J1 = None
if-int: do
    if type($J1) is int:
        $J1 = $J1 + 1 & 1023
    elif type($J1) is float:
        $J1 = $m
if-equal: do
    if $J1 == $j:
        $J1 = None
equal: b
    $j == $j
is-none: b
    $J is None
is-true: b
    $j
type-equal: b
    type($j) is type($j)
""",
)
