"""Parts on raw memory and what is like it: bytearrays, arrays, structs."""

from fuzz.hunt.programs.part import parts

BUFFERS = parts(
    "buffers",
    """
byte: w
    $a[$s]
byte-from-end: w
    $a[-1]
bytearray-length: w
    len($a)
write-byte: do
    $a[$s] = $w & 255
write-any-byte: do
    $a[$s] = $w
add-to-byte: do
    $a1[$s1] = $a1[$s1] + $w & 255
bytearray-grows: do
    $a1.append($s)
    if len($a1) > 12:
        del $a1[4:]
bytearray-extends: do
    $a1.extend($y[:3])
    if len($a1) > 12:
        del $a1[3:7]
bytearray-slice: do
    $Y = bytes($a[1:5])
bytearray-slice-assigned: do
    $a[0:2] = b"xy"
two-bytearrays: do
    $a1[0] = $w & 255
    $a2[0] = $s
    $W = $a1[0]
array-item: w
    $r[$s]
array-last: w
    $r[-1]
array-length: w
    len($r)
array-write: do
    $r[$s] = $w
array-write-and-read: do
    $r1[$s1] = $w
    $W = $r1[$s1]
two-arrays: do
    $r1[1] = $w
    $r2[1] = $w
    $W = $r1[1]
array-add: do
    $r[$s] += $s
array-append: do
    $r1.append($w & $M)
    if len($r1) > 12:
        $r1.pop(3)
array-of-bytes: do
    $v1 = array("b", [1, -2, 3])
    $v1[1] = ($w & 127) - 64
    $W = $v1[$s]
array-of-bytes-unsigned: do
    $v1 = array("B", [1, 2, 3])
    $v1[$s % 3] = $w & 255
    $W = $v1[1] - $v1[2]
array-of-shorts: do
    $v1 = array("h", [-1, 2, 3, 4])
    $v1[$s & 3] = ($w & 65535) - 32768
    $W = $v1[$s & 3]
array-of-words: do
    $v1 = array("I", [5, 6])
    $v1[0] = $w & 2**32 - 1
    $W = $v1[0] + $v1[1]
array-of-unsigned: do
    $v1 = array("Q", [7, 8])
    $v1[$s & 1] = $w & 2**64 - 1
    $I = $v1[0]
float-array-read: f
    $q[$s]
float-array-write: do
    $q[$s] = $f
two-float-arrays: do
    $q1[0] = $f
    $q2[0] = $f
    $F = $q1[0]
array-of-singles: do
    $v1 = array("f", [1.5, 2.5])
    $v1[0] = $f % 1e6
    $F = $v1[0] + $v1[1]
pack-word: do
    $Y = pack("<i", ($w & 2**32 - 1) - 2**31)
pack-and-unpack: do
    $W1, $W2 = unpack("<hB", pack("<hB", ($w & 65535) - 32768, $w & 255))
pack-two: do
    $Y = pack(">HI", $w & 65535, $w & 2**32 - 1)
unpack-from: do
    $W = unpack_from("<i", $a, 2)[0]
unpack-short: do
    $W = unpack_from(">h", $a, $s)[0]
pack-into: do
    pack_into("<h", $a, $s, ($w & 65535) - 32768)
pack-into-and-byte: do
    pack_into("<I", $a1, 0, $w & 2**32 - 1)
    $W = $a1[$s & 3]
unpack-float: do
    $F = unpack("<f", pack("<f", $f % 1e9))[0]
memory-view: do
    $v1 = memoryview($a1)
    $v1[1] = $w & 255
    $W = $a1[1]
    $v1.release()
memory-view-of-array: do
    $v1 = memoryview($r1)
    $W = $v1[$s]
    $v1.release()
""",
)
