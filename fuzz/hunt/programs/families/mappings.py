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
deleted-and-got: do
    $d1[$s1] = $w
    del $d1[$s1]
    $W = $d1.get($s1, $k)
got-around-write: do
    $W1 = $d1.get($s1, 0)
    $d2[$s1] = $w
    $W2 = $d1.get($s1, 0)
got-around-delete: do
    $W1 = $d1.get($s1, 0)
    $d2.pop($s1, 0)
    $W2 = $d1.get($s1, 0)
member-then-got: do
    if $s1 in $d1:
        $W = $d1[$s1]
    else:
        $d1[$s1] = $w
named-around-write: do
    $W1 = $g1.get("a", 0)
    $g2["b"] = $w
    $W2 = $g1.get("b", 0)
named-around-delete: do
    $g1["c"] = $w
    $W1 = $g1["c"]
    del $g2["c"]
    $W2 = $g1.get("c", $k)
updated: do
    $d.update({$s: $w})
copied: do
    $v1 = dict($d1)
    $v1[$s1] = $w
    $W = $d1.get($s1, $k)
set-changed: do
    $v1 = {1, 2}
    loop:
    $v1.add($s1)
    $v1.discard($s)
    $W = len($v1) + ($s1 in $v1)
set-of-texts: do
    $v1 = {$t, "a"}
    $W = len($v1) + ($t in $v1)
pop-item: do
    $d1[9] = $w
    $W = $d1.popitem()[1]
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
