"""Parts on what changes behind the back of a loop: in methods that lookups, sorts and comparisons call, in globals."""

from fuzz.hunt.programs.part import parts

EFFECTS = parts(
    "effects",
    """
lookup-that-writes: do
    $v1 = {Acting(None): 1}
    $v2 = Acting(lambda: setattr($o1, "a", turn))
    loop:
    $W = $o1.a
    $v1[$v2]
    $W = $W - $o1.a & $M
lookup-that-writes-late: do
    $v1 = {Acting(None): 1}
    $v2 = Acting(lambda: $o1.write(turn))
    $v3 = Acting(None)
    loop:
    $o1.a = $w
    $v1[$v2 if $c else $v3]
    $W = $o1.a
lookup-that-appends: do
    $v1 = {Acting(None): 1}
    $v2 = Acting(lambda: $l1.append(3))
    loop:
    $W = len($l1)
    $v1[$v2]
    $W = len($l1)
lookup-that-writes-item: do
    $v1 = {Acting(None): 1}
    $v2 = Acting(lambda: $l1.reverse())
    loop:
    $W = $l1[0]
    $v1[$v2]
    $W = $l1[0]
lookup-that-changes-class: do
    $v1 = {Acting(None): 1}
    $v2 = Acting($o1.change_class)
    $v3 = Acting(None)
    loop:
    $W = $o1.get()
    $v1[$v2 if $c else $v3]
    $W = $o1.get()
lookup-that-changes-method: do
    $v1 = {Acting(None): 1}
    $v2 = Acting(Point.change_method)
    $v3 = Acting(None)
    loop:
    $W = $o1.get()
    $v1[$v2 if $c else $v3]
    $W = $o1.get()
lookup-that-changes-global: do
    $v1 = {Acting(None): 1}
    $v2 = Acting(count_global)
    $v3 = Acting(None)
    loop:
    $v1[$v2 if $b else $v3]
    $W = TOTAL
lookup-that-changes-dict: do
    $v1 = {Acting(None): 1}
    $v2 = Acting(lambda: $d1.update({$s: turn}))
    loop:
    $W = $d1.get($s1, 0)
    $v1[$v2]
    $W = $d1.get($s1, 0)
late-attribute: do
    $v1 = {Acting(None): 1}
    $v2 = Late(setting($o1, "a", -1), 22 + abs($k))
    loop:
    $W1 = $o1.a
    $v1[$v2]
    $W2 = $o1.a
late-new-attribute: do
    $v1 = {Acting(None): 1}
    $v2 = Late(setting($o1, "extra", 5), 22 + abs($k))
    loop:
    $W1 = getattr($o1, "extra", 0)
    $v1[$v2]
    $W2 = getattr($o1, "extra", 0)
late-class: do
    $v1 = {Acting(None): 1}
    $v2 = Late($o1.change_class, 22 + abs($k))
    loop:
    $W1 = $o1.get()
    $v1[$v2]
    $W2 = $o1.get()
late-method: do
    $v1 = {Acting(None): 1}
    $v2 = Late(Point.change_method, 22 + abs($k))
    loop:
    $W1 = $o1.get()
    $v1[$v2]
    $W2 = $o1.get()
late-class-attribute: do
    $v1 = {Acting(None): 1}
    $v2 = Late(setting(Point, "shared", 9), 22 + abs($k))
    loop:
    $W1 = $o1.shared
    $v1[$v2]
    $W2 = $o1.shared
late-global: do
    $v1 = {Acting(None): 1}
    $v2 = Late(count_global, 22 + abs($k))
    loop:
    $W1 = TOTAL
    $v1[$v2]
    $W2 = TOTAL
late-list: do
    $v1 = {Acting(None): 1}
    $v2 = Late(lambda: $l1.append("x"), 22 + abs($k))
    loop:
    $W1 = len($l1)
    $v1[$v2]
    $W2 = len($l1)
late-emptied-list: do
    $v1 = {Acting(None): 1}
    $v2 = Late($l1.clear, 22 + abs($k))
    loop:
    $W1 = len($l1)
    $v1[$v2]
    $W2 = len($l1)
late-dict: do
    $v1 = {Acting(None): 1}
    $v2 = Late($d1.clear, 22 + abs($k))
    loop:
    $W1 = $d1.get($s1, 0)
    $v1[$v2]
    $W2 = $d1.get($s1, 0)
late-code: do
    $v3 = lambda z: z + 1
    $v1 = {Acting(None): 1}
    $v2 = Late(setting($v3, "__code__", (lambda z: z - 1).__code__), 22 + abs($k))
    loop:
    $W1 = $v3($w)
    $v1[$v2]
    $W2 = $v3($w)
late-defaults: do
    $v3 = lambda z, y=3: z ^ y
    $v1 = {Acting(None): 1}
    $v2 = Late(setting($v3, "__defaults__", (7,)), 22 + abs($k))
    loop:
    $W1 = $v3($w)
    $v1[$v2]
    $W2 = $v3($w)
late-keywords: do
    $v3 = lambda z, *, y=3: z ^ y
    $v1 = {Acting(None): 1}
    $v2 = Late(setting($v3, "__kwdefaults__", {"y": 7}), 22 + abs($k))
    loop:
    $W1 = $v3($w)
    $v1[$v2]
    $W2 = $v3($w)
late-name: do
    $v3 = lambda: 0
    $v1 = {Acting(None): 1}
    $v2 = Late(setting($v3, "__name__", "late"), 22 + abs($k))
    loop:
    $W1 = len($v3.__name__)
    $v1[$v2]
    $W2 = len($v3.__name__)
late-cell: do
    $v1 = {Acting(None): 1}
    def $v2():
        nonlocal $I1
        $I1 = 5
    $v3 = Late($v2, 22 + abs($k))
    loop:
    $W = $I1 & $M
    $v1[$v3]
    $W = $I1 & $M
lookup-that-looks-at-frames: do
    $v1 = {Acting(None): 1}
    $v2 = Acting(lambda: sys._getframe(2).f_locals["turn"])
    loop:
    $v1[$v2]
lookup-that-changes-cell: do
    $v1 = {Acting(None): 1}
    def $v2(z=3):
        nonlocal $W1
        $W1 = $W1 + z & 1023
    $v3, $v4 = Acting($v2), Acting(None)
    loop:
    $W = $W1
    $v1[$v3 if $b else $v4]
    $W = $W1
lookup-that-changes-cell-late: do
    $v1 = {Acting(None): 1}
    def $v2():
        nonlocal $I1
        $I1 = turn
    $v3, $v4 = Acting($v2), Acting(None)
    loop:
    $W = $I1 & $M
    $v1[$v3 if $c else $v4]
    $W = $I1 & $M
comparison-that-writes: do
    $v1 = Acting(lambda: setattr($o1, "b", turn))
    loop:
    $o1.b = $w
    $v1 == $v1
    $W = $o1.b
sort-that-writes: do
    $o1.a = $w
    sorted([1, 2], key=$o1.write)
    $W = $o1.a
sort-that-fails: do
    try:
        $L = sorted($l1, key=picky)
    except KeyError as $v1:
        $W = $v1.args[0]
map-that-writes: do
    $o1.a = $w
    list(map($o1.write, [$w]))
    $W = $o1.a
index-that-writes: do
    $l1[0] = $w
    $l1[Index($l1)] = $w
    $W = $l1[0]
truth-that-writes: do
    $o1.a = $w
    if Truth($o1):
        $W = $o1.a
text-that-writes: do
    $o1.a = $w
    $T = "%s" % Told($o1)
    $W = $o1.a
iteration-that-writes: do
    $v1 = [$w, $w]
    for $v2 in popping($v1):
        $W = $v2 + len($v1)
global-counted: do
    count_global()
    $W = TOTAL
global-by-name: do
    globals()["TOTAL"] = $w
    $W = TOTAL
global-of-changing-type: do
    globals()["TOTAL"] = $f if $c else $w
    $W = int(TOTAL == $w)
function-changed: do
    $v1 = lambda z: z + 1
    $v2 = lambda z: z - 1
    loop:
    if $c:
        $v1.__code__, $v2.__code__ = $v2.__code__, $v1.__code__
    $W = $v1($w)
function-of-list: do
    $v1 = [lambda z: z ^ 1, lambda z: z ^ 2, with_default]
    loop:
    $W = $v1[$s % 3]($w)
defaults-changed-by-lookup: do
    def $v1(z, y=3):
        return z ^ y
    def $v2():
        $v1.__defaults__ = ($v1.__defaults__[0] + 1 & 7,)
    $v3 = {Acting(None): 1}
    $v4, $v5 = Acting($v2), Acting(None)
    loop:
    $W = $v1($w)
    $v3[$v4 if $b else $v5]
    $W = $v1($w)
attribute-that-is-computed: w
    Computed($w).value
attribute-that-is-missing: w
    Computed($w).missing
descriptor: do
    $v1 = Computed($w)
    $v1.checked = $w
    $W = $v1.checked
new-class: do
    $v1 = type("Made", (Point,), {"get": lambda self: self.b}) if $c else Square
    $W = $v1($w, 2).get()
class-made-before: do
    class $v1(Point):
        def get(self):
            return self.b ^ 3
    loop:
    $W = $v1($w, 2).get()
super-method: w
    Derived($w, 2).get()
deleted-object: do
    $v1 = Point($w, $w)
    $v2 = $v1
    del $v1
    $W = $v2.a
traceback: do
    try:
        picky($w | 7)
    except KeyError as $v1:
        $W = $v1.__traceback__.tb_lineno - sys._getframe().f_code.co_firstlineno
context: do
    try:
        try:
            picky(7)
        finally:
            picky(23)
    except KeyError as $v1:
        $W = $v1.__context__.args[0] + $v1.args[0]
""",
)
