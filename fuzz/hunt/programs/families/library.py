"""Parts on what the library does in loops of its own, or in Python."""

from fuzz.hunt.programs.part import parts

LIBRARY = parts(
    "library",
    """
match: do
    $v1 = re.match("([a-z]+) ?([^b]*)", $t)
    $T = $v1.group($s & 1) if $v1 else "none"
search: do
    $v1 = re.search("(a.|[n-z]{2,3})(?=[^c])", $t)
    $W = $v1.start() if $v1 else -1
find-all: do
    $W = len(re.findall("a|an|[b-d]*?", $t))
substitute: t
    re.sub("[aeiou](.)", r"<\\1>", $t)[:20]
deque: do
    $v1 = deque([1, 2, 3], 5)
    loop:
    $v1.append($w)
    $v1.rotate($s - 3)
    $W = $v1[0] ^ len($v1)
deque-from-left: do
    $v1 = deque([1, 2])
    loop:
    $v1.appendleft($w)
    $W = $v1.pop()
islice: i
    sum(islice($l, 1, $s))
accumulate: do
    for $v1 in accumulate([$w, $w, $w]):
        $I = $v1
product: do
    for $v1, $v2 in product([1, $w], [$w, 2]):
        $W = $v1 ^ $v2
chain: i
    sum(chain([$w, $w], $l))
repeated: i
    sum(repeat($w, $s))
take-while: do
    $L = list(takewhile(lambda z: z < $k, $l))
heap: do
    $v1 = [1, 5, 9]
    loop:
    heappush($v1, $w)
    $W = heappop($v1)
bisect: w
    bisect_left([-5, 0, 3, $M], $w)
reduce: w
    reduce(lambda y, z: y ^ z, $l, $w)
partial: do
    $v1 = partial(with_default, $w)
    loop:
    $W = $v1($w)
cached: w
    cached($w & 63)
named-tuple: do
    $v1 = Pair($w, $w)
    $W = $v1.first - $v1[1]
counter: do
    $v1 = Counter()
    loop:
    $v1[$s] += 1
    $W = $v1[$s]
default-dict: do
    $v1 = defaultdict(int)
    loop:
    $v1[$s] += $w & 255
    $W = $v1[0]
ordered-dict: do
    $v1 = OrderedDict.fromkeys(range(8), 0)
    loop:
    $v1.move_to_end($s)
    $W = next(iter($v1))
from-base: w
    int("1z4"[:$s] or "0", 36)
format: t
    "{:>5}|{:x}|{!r}".format($s, $w & 255, $t)
format-number: t
    format($w & $M, ",d")
translate: t
    $t.translate({97: 98, 98: None})
partition: t
    $t.partition("b")[2]
title: t
    $t.title()
fill: t
    $t.center(12, "*").zfill(9)
split-and-join: t
    "-".join($t.split())
sorted-text: t
    "".join(sorted($t))
reversed-text: t
    $t[::-1]
step-slice: do
    $L = $l[::2]
step-slice-of-text: t
    $t[1::2]
bytes-translate: y
    $y.translate(bytes(range(255, -1, -1)))
bytes-of-hex: y
    bytes.fromhex("%04x" % ($w & 65535))
crc: w
    crc32($y, $w & 2**32 - 1)
array-to-bytes: y
    $r.tobytes()[:$s]
memory-view-cast: do
    $v1 = memoryview($a1)
    if len($v1) >= 8:
        $v2 = $v1[:8].cast("h")
        $v2[$s & 3] = $w & 1023
        $W = $a1[$s] ^ $v2[1]
        $v2.release()
    $v1.release()
unpack-many: do
    for $v1, $v2 in iter_unpack("<hB", b"abcdefghi"):
        $W = $v1 ^ $v2
float-hex: t
    $f.hex()
float-from-text: f
    float("%.3f" % ($f % 1e9))
fsum: f
    fsum([$f, $f, $x])
frexp: do
    $F, $W = frexp($f)
gcd: w
    gcd_of($w & $M, $w & $M)
round: f
    round($f or 0.5, 2)
hash: w
    hash($w1) & $M if $w1 == $w1 else 0
hash-of-float: w
    hash($f1) & $M if $f1 == $f1 else 0
attribute-getter: do
    $v1 = attrgetter("a")
    loop:
    $W = $v1($o)
item-getter: do
    $v1 = itemgetter(0, -1)
    loop:
    $W = $v1($l)[1]
copied: do
    $L = copy($l)
map-of-two: do
    for $v1 in map(with_star, $l[:4], [$w, $w]):
        $W = $v1
filter: do
    $L = list(filter(None, $l))
reversed: do
    for $v1 in reversed($l[:5]):
        $W = $v1
sorted-by-key: do
    $L = sorted($l, key=lambda z: z & 7)
minimum-by-key: w
    min([$w, $w, $w], key=abs)
all: b
    all($l)
text-iterator: do
    $v1 = iter("abcdefgh" * 60)
    loop:
    $W = ord(next($v1, "z"))
range-object: do
    $v1 = range($s, 99, $s + 1)
    $W = $v1[-1] + len($v1)
format-bytes: y
    b"%d|%s" % ($s, $y)
""",
)
