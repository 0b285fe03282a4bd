"""Parts on attributes of objects: several shapes, slots, properties, classes and methods that change while hot."""

from fuzz.hunt.programs.part import parts

OBJECTS = parts(
    "objects",
    """
read: w
    $o.a
read-other: w
    $o.b
read-float: f
    $o.x
call-method: w
    $o.get()
call-property: w
    $o.half
difference-of-attributes: w
    $o1.a - $o1.b
same-object: b
    $o is $o
compare-classes: b
    type($o) is type($o)
is-instance: b
    isinstance($o, Square)
is-none: b
    $o.link is None
write: do
    $o.a = $w
write-twice: do
    $o1.a = $w
    $o1.a = $w
write-to-both: do
    $o1.a = $w
    $o2.a = $w
    $I = $o1.a
write-and-read-alias: do
    $o1.b = $w
    $W = $o2.b
write-float: do
    $o.x = $f
write-another-type: do
    if $c:
        $o1.a = $f
    else:
        $o1.a = $w
add-to-attribute: do
    $o.a += $w & 255
step: do
    $W = $o.step($w)
fresh: do
    $v1 = Point($w, $w)
    $W = $v1.a - $v1.get()
fresh-slots: do
    $v1 = Slotted($w, $w)
    $v1.a = $w
    $W = $v1.a + $v1.b & $M
fresh-escapes: do
    $v1 = Point($w, $w)
    if $c:
        $O = $v1
fresh-kept: do
    $O = Square($w, $w)
link: do
    $o.link = Point($w, 2)
follow: do
    if $o1.link is not None:
        $W = $o1.link.a
        $o1.link.a = $w
new-attribute: do
    if $c:
        $o.extra = $w
    else:
        $W = getattr($o, "extra", 0)
attribute-by-name: do
    setattr($o1, "b", $w)
    $W = getattr($o1, "a")
delete-and-set: do
    if $c:
        del $o1.a
    $o1.a = $w
change-class: do
    if $c:
        $o.__class__ = Square if type($o) is Point else Point
change-method: do
    if $c:
        Point.get = Point.get_b if Point.get is Point.get_a else Point.get_a
    $W = $o.get()
change-class-attribute: do
    if $c:
        Point.shared = $w
    $W = $o.shared
class-counter: do
    Point.count = Point.count + 1 & 1023
    $W = Point.count
instance-over-class: do
    if $c:
        $o.shared = $w
    $W = $o.shared
operator: do
    $O = Square(($o + $o).a, 1)
compared-by-method: do
    if $o == $o:
        $B
fresh-pair: do
    $v1 = Point($w, $w)
    $v2 = Point($v1.b, $v1.a)
    $v1.link = $v2
    $W = $v1.link.a ^ $v1.a
module-global: do
    bump($w & 15)
    $W = counters.total & $M
""",
)
