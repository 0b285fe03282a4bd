"""Parts on calls: closures, generators, recursion, defaults and star arguments."""

from fuzz.hunt.programs.part import parts

CALLS = parts(
    "calls",
    """
default: w
    with_default($w)
default-given: w
    with_default($w, $w)
keyword: w
    with_default($w, c=$w)
star: w
    with_star($w, $w, $w)
star-of-tuple: w
    with_star(*($w, $w))
star-of-list: w
    with_star(*[$w, $s])
double-star: w
    with_names(a=$w, b=$k)
double-star-of-dict: w
    with_names(**{"a": $w, "c": $w})
recursion: w
    depth($s)
recursion-on-two: w
    gcd($w & 255, $s)
recursion-in-turn: b
    is_even($s)
loop-inside: w
    summed($w, $s)
loop-inside-that-raises: do
    try:
        $W = counted_down($s + 9, $w)
    except KeyError as $v1:
        $W = $v1.args[0]
loop-over-links: do
    $v1 = Point($w, 1)
    $v1.link = Point($w, 2)
    $W = last_of($v1).a
loop-that-fills: do
    $L = fill_list($w, $s)
lambda: w
    (lambda z: z & $M)($w)
map: w
    sum(map(with_default, [$w, $s]))
any-of: b
    any([$b, $b])
function-chosen: w
    (with_default if $b else with_star)($w)
nested-calls: w
    with_default(with_star($w, $s), with_default($s))
closure: do
    def $v1(z, y=$k):
        return z + y ^ $I1
    loop:
    $W = $v1($w) & $M
    $I1 = $w
closure-that-writes: do
    def $v1(z):
        nonlocal $I1
        $I1 = z
        return z & 31
    loop:
    $W = $v1($w) + $I1 & $M
closure-counter: do
    $v1 = counter()
    loop:
    $W = $v1()
closure-changed-default: do
    def $v1(z, y=3):
        return z ^ y
    loop:
    if $c:
        $v1.__defaults__ = (turn & 15,)
    $W = $v1($w)
generator: do
    $v1 = numbers($w)
    loop:
    $W = next($v1, 7)
generator-inside: do
    for $v1 in numbers_to($s):
        $W = $v1 ^ $w
generator-of-generator: do
    for $v1 in doubled(numbers_to($s & 3)):
        $W = $v1
generator-sent: do
    $v1 = adder()
    next($v1)
    loop:
    $W = $v1.send($w & 15)
generator-expression: do
    $W = sum($v1 & 7 for $v1 in $l)
partial-list: do
    $W = sorted([$w, $w, $w])[$s % 3]
key-function: do
    $W = max($l or [4], key=lambda z: -z & 63)
method-bound: do
    $v1 = $o1.get
    loop:
    $W = $v1()
method-of-list: do
    $v1 = $l1.append
    loop:
    $v1($w)
callable-object: do
    $v1 = Adder($w)
    loop:
    $W = $v1($w) & $M
decorated: w
    decorated($w)
residual-call: do only pypy
    $W = residual_call(with_default, $w)
""",
)
