"""Parts on the flow of control: branches, nested loops, exceptions, frames."""

from fuzz.hunt.programs.part import parts

CONTROL = parts(
    "control",
    """
if: do
    if $b:
        $B
if-else: do
    if $b:
        $B
    else:
        $B
late: do
    if $c:
        $B
late-else: do
    if $c:
        $B
    else:
        $B
late-float: do
    if $c:
        $W = 0.5
late-long: do
    if $c:
        $W = 2**64 + turn
late-bool: do
    if $c:
        $W = turn > 100
late-object: do
    if $c:
        $O = Slotted(turn, 3)
late-none: do
    $v1 = None if $c else $w
    $W = 3 if $v1 is None else $v1
alternate: do
    if turn & 1:
        $B
    else:
        $B
continue: do
    if $c:
        continue
one-of-four: do
    $v1 = turn & 3
    if $v1 == 0:
        $B
    elif $v1 == 1:
        $B
    else:
        $W = $v1
nested: do
    for $v1 in range($s):
        $D
nested-constant: do
    for $v1 in range(3):
        $D
nested-while: do
    $v1: int = 0
    while $v1 < $s:
        $v1: int = $v1 + 1
        $D
nested-with-break: do
    for $v1 in range(6):
        if $b:
            break
        $D
    else:
        $W = $k
nested-list: do
    for $v1 in $l1[:5]:
        $D
raise-and-catch: do
    try:
        if $b:
            raise ValueError($s)
        $B
    except ValueError as $v1:
        $W = $v1.args[0]
raise-own: do
    try:
        if $c:
            raise Stop($w)
        $W = $w
    except Stop as $v1:
        $W = $v1.value
raise-in-call: do
    try:
        $W = picky($w)
    except KeyError:
        $W = $k
zero-division: do
    try:
        $I = $w // $s
    except ZeroDivisionError:
        $I = $w
index-error: do
    try:
        $W = $l[$s + 2]
    except IndexError:
        $W = $k
key-error: do
    try:
        $W = $d[$s]
    except KeyError:
        $d[$s] = $w
type-error: do
    try:
        $W = $w + ("x" if $c else 1)
    except TypeError:
        $W = $w
finally: do
    try:
        $B
    finally:
        $W = $w
finally-continue: do
    for $v1 in range(3):
        try:
            if $b:
                continue
            $W = $v1
        finally:
            $I += 1
raise-again: do
    try:
        try:
            $W = picky($w)
        except KeyError:
            if $c:
                raise IndexError
            $W = 1
    except IndexError:
        $W = 2
stop-iteration: do
    $v1 = iter($l[:2])
    try:
        next($v1)
        $W = next($v1)
    except StopIteration:
        $W = $k
with-block: do
    with Guarded() as $v1:
        $W = $v1 + $w & $M
with-swallowed: do
    with Guarded():
        if $c:
            raise KeyError
        $W = $w
assert: do
    try:
        assert $b
        $W = $w
    except AssertionError:
        $W = $k
frame-local: do
    if $c:
        $W = len(sys._getframe().f_locals) & 1
    $I += 1
frame-line: do
    $W = sys._getframe().f_lineno - sys._getframe().f_code.co_firstlineno
frame-of-caller: do
    $W = caller_has("turn") + $w
locals-taken: do
    $W = locals()["turn"] & 63
exception-info: do
    try:
        raise ValueError
    except ValueError:
        $W = sys.exc_info()[0] is ValueError
global-read: w
    LIMIT + $s
global-written: do
    if $c:
        bump($w)
    $W = counters.total & 255
conditional-delete: do
    $v1 = $w
    if $c:
        del $v1
    try:
        $W = $v1
    except UnboundLocalError:
        $W = $k
""",
)
