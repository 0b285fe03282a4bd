"""Parts on lists by strategy: of ints, of floats, of anything; emptied, grown, sliced, indexed from both ends."""

from fuzz.hunt.programs.part import parts

LISTS = parts(
    "lists",
    """
item: w
    $l[$s]
item-from-end: w
    $l[-1]
item-of-any-sign: w
    $l[$s - 4]
length: w
    len($l)
sum-of-list: i
    sum($l)
maximum-of-list: w
    max($l)
item-of-floats: f
    $e[$s]
sum-of-floats: f
    sum($e)
is-empty: b
    $l
contains: b
    $w in $l
lists-equal: b
    $l == $l
same-list: b
    $l is $l
write: do
    $l[$s] = $w
write-and-read: do
    $l1[$s1] = $w
    $W = $l1[$s1]
write-to-both: do
    $l1[0] = $w
    $l2[0] = $w
    $W = $l1[0]
write-from-end: do
    $l[-1] = $w
swap: do
    $l1[0], $l1[-1] = $l1[-1], $l1[0]
add-to-item: do
    $l[$s] += $k
append: do
    $l.append($w)
pop: do
    if $l1:
        $W = $l1.pop()
pop-first: do
    if len($l1) > 1:
        $W = $l1.pop(0)
append-and-pop: do
    $l1.append($w)
    $W = $l1.pop()
insert: do
    $l.insert($s, $w)
delete: do
    if len($l1) > 2:
        del $l1[1]
clear: do
    if $c:
        $l1.clear()
    $l1.append($w)
slice: do
    $L = $l[1:]
    $L.append($w)
slice-of-both-ends: do
    $L = $l1[-3:] + $l1[:2]
slice-assigned: do
    $l1[1:3] = [$w]
    $l1.append($k)
reverse: do
    $l.reverse()
sort: do
    $l.sort()
fresh: do
    $v1 = [$w, $w, $w]
    $v1[$s % 3] = $w
    $W = $v1[0] - $v1[2]
fresh-kept: do
    $L = [$w, $w]
fresh-escapes: do
    $v1 = [$w, $k]
    if $c:
        $L = $v1
unpack: do
    $v1, $v2, *$v3 = [$w, $w, $w, $w]
    $W = $v1 ^ $v3[-1] ^ $v2
fresh-sliced: do
    $v1 = [$w, $w, $w, $w]
    $v2 = $v1[1:]
    $v1[1] = $w
    $W = $v2[0] ^ $v2[-1]
fresh-slice-assigned: do
    $v1 = [$w, $w, $w]
    $v1[0:2] = [$w]
    $W = $v1[0] - $v1[1]
fresh-joined: do
    $v1 = [$w, $w] + [$w]
    $W = $v1[2] - $v1[$s % 3]
fresh-inserted: do
    $v1 = [$w, $w]
    $v1.insert(0, $w)
    $W = $v1.pop(0) ^ $v1[0]
fresh-deleted: do
    $v1 = [$w, $w, $w]
    del $v1[$s % 3]
    $W = $v1[0] ^ $v1[1]
fresh-grown: do
    $v1 = []
    for $v2 in range($s):
        $v1.append($w)
    $W = sum($v1) & $M
fresh-floats: do
    $v1 = [$f, $f]
    $v1[$s & 1] = $f
    $F = $v1[0] + $v1[1]
fresh-of-mixed: do
    $v1 = [$f, $m]
    $v1[$s & 1] = $m
    $F = $v1[0] + $v1[1]
fresh-texts: do
    $v1 = [$t, "b", $t]
    $v1.append($t)
    $T = $v1[$s % 3]
fresh-compared: b
    [$w, $w] == [$w, $m]
fresh-searched: b
    $w in [$m, $w, 3]
copy-changed: do
    $L1 = $l2[:]
    $L1[0:0] = [$w]
    $W = $l2[0]
moved-within: do
    $l1[1:] = $l1[:-1]
item-at-own-length: do
    $W = $l1[len($l1) - 1 - ($s & 1)]
writes-at-two-places: do
    $l1[$s] = $w
    $l1[2] = $w
    $W = $l1[$s]
read-write-read: do
    $W1 = $l1[1]
    $l1[$s] = $w
    $W2 = $l1[1]
length-twice: do
    $W1 = len($l1)
    $l2.append($w)
    $W2 = len($l1)
if-long-enough: do
    if len($l1) > $s:
        $W = $l1[$s] ^ $l1[0]
repeated: do
    $v1 = [$w] * $s
    $v1.append(1)
    $W = $v1[0] + len($v1)
comprehension: do
    $L = [$v1 + 1 & $M for $v1 in $l]
comprehension-with-condition: do
    $L = [$v1 for $v1 in $l if $v1 > $w] or [$w]
floats-written: do
    $e[$s] = $f
floats-appended: do
    $e.append($f)
    $F = $e.pop(0)
int-among-floats: do
    $e[$s] = $w if $c else $f
float-among-ints: do
    $n[$s] = $f if $c else $w
strategy-changed: do
    if $c:
        $l1.append("x")
        $l1.pop()
    $l1.append($w)
any-written: do
    $n[$s] = $w
any-read: do
    $v1 = $n[$s]
    if type($v1) is int:
        $W = $v1 & $M
    elif type($v1) is float:
        $F = $v1
nested-lists: do
    $v1 = [[$w, $w], [$w]]
    $v1[0].append($w)
    $W = $v1[0][2] - $v1[1][0]
long-among-ints: do
    $l[$s] = 2**65 if $c else $w
enumerate: do
    for $v1, $v2 in enumerate($l1):
        $W = $v1 ^ $v2
        if $v2 == $k:
            break
index-of: do
    $l1.append($w1)
    $W = $l1.index($w1)
""",
)
