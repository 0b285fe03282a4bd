"""Parts on dicts, sets and tuples."""

from fuzz.hunt.programs.part import parts

MAPPINGS = parts(
    "mappings",
    """
get: w
    $d.get($s, $w)
item: w
    $d[$s]
named-item: w
    $g.get("a", $k)
length: w
    len($d)
contains: b
    $s in $d
named-contains: b
    "b" in $g
write: do
    $d[$s] = $w
write-and-read: do
    $d1[$s1] = $w
    $W = $d1[$s1]
write-both: do
    $d1[1] = $w
    $d2[1] = $w
    $W = $d1[1]
named-write: do
    $g["a"] = $w
named-by-index: do
    $g["abcdefgh"[$s]] = $w
count: do
    $d1[$s1] = $d1.get($s1, 0) + 1
pop: do
    $W = $d.pop($s, $k)
delete: do
    if $s1 in $d1:
        del $d1[$s1]
set-default: do
    $W = $d.setdefault($s, $w)
clear: do
    if $c:
        $d.clear()
other-key: do
    $d1["x" if $c else $s] = $w
    $W = $d1.get($s, 5)
float-key: do
    $W = $d.get(float($s), $w)
iterate: do
    for $v1 in list($d1)[:4]:
        $W = $d1[$v1]
items: do
    $I = sum([$v1 for $v1 in $d.values() if type($v1) is int][:5])
fresh: do
    $v1 = {1: $w, 2: $w}
    $v1[$s] = $w
    $W = $v1[1] - $v1[2]
fresh-named: do
    $v1 = {"a": $w, "b": $w}
    $W = $v1["a"] ^ $v1["b"]
keywords: do
    $v1 = dict(a=$w, b=$w)
    $W = $v1["a"]
set-member: do
    $v1 = {$s, $s}
    $W = len($v1) + ($s in $v1)
tuple-item: w
    $u[0]
tuple-last: w
    $u[-1]
tuple-length: w
    len($u)
tuple-contains: b
    $w in $u
tuple-equal: b
    $u == $u
tuple-less: b
    ($w, $w) < ($w, $w)
pair: u
    ($w, $w)
float-pair: u
    ($w, $s + 0.5)
triple: u
    ($w, $w, $w)
mixed: u
    ($w, "x", $w)
tuple-slice: u
    ($u + ($w, $k))[-2:]
tuple-of-list: u
    tuple($l[:3]) or ($w,)
unpack: do
    $v1, $v2 = ($w, $w)
    $W = $v1 - $v2
unpack-any: do
    $W, *$v1 = $u
rotate: do
    $W1, $W2, $W3 = $W2, $W3, $W1
tuple-key: do
    $d1[($s, 1)] = $w
    $W = $d1.get(($s, 1), 0)
zip: do
    for $v1, $v2 in zip($l, $u):
        $W = $w if $v1 == $v2 else $k
""",
)
