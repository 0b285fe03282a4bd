"""Loops over what the built-in types do, so that a log says much of PyPy's own functions. Arguments choose parts.

Each expression gets a function of its own, in which fields of an object are loaded and stored around it.
"""

import array
import builtins
import collections
import io
import itertools
import json
import math
import operator
import re
import struct
import sys
import threading
import types
import weakref

SCENE = {
    **vars(builtins),
    **{module.__name__: module for module in (array, collections, io, itertools, json, math, operator, re, struct)},
    "weakref": weakref,
    "s": "The quick brown fox",
    "u": "žluťoučký kůň",
    "b": b"some bytes, in a row",
    "ba": bytearray(b"abcdefgh" * 4),
    "xs": list(range(50)),
    "ys": ["b", "a", "c"] * 9,
    "fs": [0.5 * k for k in range(50)],
    "t": (1, 2.5, "x", None),
    "d": {f"k{k}": k for k in range(50)},
    "di": {k: str(k) for k in range(50)},
    "st": set(range(0, 60, 3)),
    "fz": frozenset("abc"),
    "dq": collections.deque(range(30)),
    "od": collections.OrderedDict.fromkeys("abcdef", 1),
    "ar": array.array("i", range(50)),
    "af": array.array("d", [1.5] * 50),
    "ab": array.array("B", b"abc" * 9),
    "cn": collections.Counter("hello"),
    "dd": collections.defaultdict(list),
    "big": 1 << 80,
    "word": re.compile(r"(\w+)\s+(\w+)"),
    "digits": re.compile(r"[0-9]+"),
    "pair": struct.Struct("<ih"),
    "nt": collections.namedtuple("P", "x y")(1, 2),
    "mv": memoryview(b"abcdefghij" * 3),
    "rx": re.compile("a+"),
    "lk": threading.Lock(),
    "rl": threading.RLock(),
    "gs": [vars(types.FunctionType)[name] for name in ("__name__", "__code__", "__doc__")],
}

PARTS = {
    "strings": """
s.upper() | s.lower() | s.title() | s.swapcase() | s.split() | s.split(" ", 1) | s.rsplit(" ") | s.splitlines()
s.partition("q") | s.rpartition("o") | s.find("fox") | s.rfind("o") | s.index("b") | s.count("o")
s.replace("q", "k") | s.strip("T") | s.lstrip() | s.rstrip("x") | s.startswith("The") | s.endswith(("x", "y"))
s.encode() | s.isalpha() | s.isdigit() | s.isspace() | s.isidentifier() | s.zfill(30) | s.center(30) | s.ljust(30)
s.rjust(k % 40) | s.casefold() | s[k % 19] | s[k % 9 :] | s[::2] | s[::-1] | s + str(k) | s * (k % 3) | s == u | s < u
hash(s + "x") | "fox" in s | s % () | "%d and %s" % (k, s) | "%5.2f|%x|%r" % (k, k, s)
"{} {:>5} {!r}".format(k, k, s) | f"{k}{s:>20}{k:04d}" | ",".join(ys) | "".join([str(k), s]) | list(s)
ord(s[k % 19]) | chr(k % 50000) | u.encode() | u.upper() | u[k % 13] | u.find("k") | u + s | u.encode("utf-16")
s.encode("latin-1") | s.translate({113: "k"}) | s.expandtabs() | str(k) | repr(s) | ascii(u) | int("12") | b.split()
b.find(b"in") | b.decode() | b[k % 20] | b[k % 9 :] | b + b"x" | b.replace(b"o", b"0") | b.upper() | b.hex()
b.startswith(b"so") | b.count(b"s") | b == b"x" | hash(b + b"y") | b.join([b"1", b"2"]) | b.strip() | bytes([k % 256])
bytes(k % 30) | ba[k % 32] | ba.find(b"h") | ba[2:9] | bytearray(b) | ba + b | ba.decode() | mv[k % 30]
mv[1:5].tobytes()
""",
    "containers": """
xs[k % 50] | xs[k % 9 :] | xs[::-1] | xs + ys | xs * 2 | xs.index(k % 50) | xs.count(3) | (k % 70) in xs | len(xs)
xs == ys | sorted(ys) | sorted(xs, reverse=True) | sorted(ys, key=len) | list(reversed(xs)) | min(xs) | max(fs)
sum(xs) | sum(fs) | [x for x in xs if x & 1] | [x * 2 for x in fs] | list(map(str, xs)) | list(filter(None, xs))
list(zip(xs, ys)) | any(xs) | all(xs) | list(enumerate(ys)) | tuple(xs) | xs.copy() | [*xs, *ys] | (*t, k) | t[k % 4]
t + (k,) | t == (1,) | hash(t) | put(xs[:], k) | cut(xs[:], k) | turn(ys[:]) | d["k%d" % (k % 50)] | d.get("x")
d.get("k%d" % (k % 60), k) | "k1" in d | list(d) | list(d.items()) | list(d.values()) | {**d, "z": k} | dict(d)
d.copy() | d == di | di[k % 50] | di.get(k) | k in di | {x: x for x in xs} | {x for x in ys} | fill(dict(d), k)
fill(dict(di), k) | len(d) | dict(zip(ys, xs)) | dict(a=k, b=s) | st | {1, 2} | st & {3, 6, k} | st - {3} | st ^ {k}
(k % 90) in st | st <= st | set(xs) | frozenset(ys) | fz | {k} | len(st) | grow(set(st), k) | sorted(st) | "a" in fz
dq[k % 30] | len(dq) | list(dq) | swing(dq, k) | od["a"] | list(od) | cn["l"] | cn.most_common(1)
dd[k % 9].append(k) | nt.x | nt._replace(x=k) | nt == (1, 2) | list(range(k % 30)) | range(k)[k // 2 :]
k in range(0, 999, 3) | slice(k).indices(9) | list(iter(ys)) | next(iter(xs)) | xs[-1] | [[k] * 3 for _ in ys]
id(xs)
""",
    "numbers": """
k + 1 | k - 7 | k * k | k // 7 | k % 7 | -k // 7 | k / 7 | k**2 | 2 ** (k % 70) | k << (k % 70) | k >> 2 | k & 6 | k
9 | k ^ 5 | ~k | -k | abs(-k) | divmod(k, 7) | pow(k, 3, 11) | k == 5 | k < 500 | bool(k) | float(k) | complex(k, 1)
hex(k) | bin(k) | oct(k) | int("7") + k | int("ff", 16) | int(2.5 * k) | round(k * 0.3) | round(k * 0.37, 1)
k.bit_length() | k.to_bytes(4, "big") | int.from_bytes(b, "little") | big + k | big * k | big // (k + 1)
big % (k + 1) | big - k | big << 3 | big >> (k % 90) | big == k | big < k | str(big) | hash(big) | big & k | big | k
-big | float(big) | int(str(big)) | big * big | 0.5 * k | k - 0.5 | k / 3.0 | k // 0.7 | k % 0.7 | -0.5 * k
1.01 ** (k % 90) | 0.5 < k | k == 0.5 | str(0.1 * k) | repr(0.5) | float("1.5") | (0.5 * k).is_integer()
hash(0.5 * k) | math.sqrt(k) | math.sin(k) | math.floor(0.3 * k) | math.ceil(0.3 * k) | math.log(k + 1)
math.exp(0.001 * k) | math.hypot(k, 1) | math.atan2(k, 1) | math.gcd(k, 12) | math.fmod(k, 7) | math.pi * k
math.isnan(0.5 * k) | math.trunc(0.3 * k) | math.pow(k, 0.5) | math.factorial(k % 30) | complex(k, 1) * 2j
abs(3 + 4j) | ar[k % 50] | af[k % 50] | ab[k % 27] | put_in(ar, k) | put_in(af, k) | ar[1:9] | sum(ar) | list(af)
ar.tobytes() | len(ar) | array.array("d", fs) | struct.pack("<i", k) | struct.unpack("<i", b[:4]) | pair.pack(k, 1)
pair.unpack(b[:6]) | struct.unpack_from(">H", b, 2) | struct.pack(">dq", 0.5, k) | min(k, 7) | max(k, 0.5, 7)
sum([k, 1, 2]) | True + k | k is None
""",
    "flow": """
caught(k) | raised(k) | finally_(k) | within(k) | list(up_to(k % 9)) | sum(up_to(5)) | next(up_to(9)) | sent(k)
chained(k) | Point(k, 1).size() | Point(k, 1) == Point(1, 1) | Point(k, 2) < Point(2, k) | str(Point(k, 1))
Child(k, 2).size() | Slots(k).x | Point(k, 1).twice | Point.make(k) | Point.plain(k) | Point(k, 1)(3) | Point(k, 1)[k]
len(Point(k, 1)) | bool(Point(k, 1)) | Point(k, 1) + Point(1, k) | list(Point(3, 1)) | k in Point(3, 1)
getattr(Point(k, 1), "x") | getattr(s, "nothing", k) | hasattr(Point(k, 1), "z") | isinstance(k, int)
isinstance(s, (int, bytes)) | issubclass(Child, Point) | type(k) | type(s) is str | callable(k) | vars(Point(k, 1))
setattr(Point(k, 1), "x", 2) | default(k) | default(k, b=2) | many(k, *ys, **nt._asdict()) | curried(k)(1)
(lambda x, y=2: x + y)(k) | recursive(k % 9) | hash(Point(k, 1)) | k or s | k and s | not k | s if k & 1 else k
0 < k < 9 | [k][0] | list(itertools.islice(itertools.count(k), 5)) | list(itertools.chain(xs, ys))
list(itertools.product("ab", "cd")) | list(itertools.permutations("abc")) | list(itertools.combinations(ys[:4], 2))
list(itertools.accumulate(xs[:9])) | list(itertools.takewhile(lambda x: x < 5, xs)) | list(itertools.groupby(ys))
list(itertools.zip_longest(ys, xs[:5])) | list(itertools.repeat(k, 3)) | list(itertools.starmap(max, zip(xs, xs)))
list(itertools.compress(xs, xs)) | operator.add(k, 1) | operator.itemgetter(1)(xs)
operator.attrgetter("x")(Point(k, 1)) | sorted(ys, key=operator.itemgetter(0)) | eval("k", {"k": k})
""",
    "text": """
word.match(s) | word.search(u) | word.findall(s) | word.sub(r"\\2 \\1", s) | digits.sub("n", s + str(k))
digits.search(s) | word.match(s).group(1) | word.match(s).groups() | word.match(s).span() | re.split(r"\\s", s)
digits.findall("1 22 333" * 3) | [m.start() for m in word.finditer(s)] | re.match(r"(?P<x>a|b)*c", "ababc")
re.sub("o", lambda m: m.group().upper(), s) | re.escape(s) | written(k) | io.StringIO(s).read()
io.StringIO("a\\nb\\n").readlines() | list(io.StringIO("a\\nb")) | poured(k) | io.BytesIO(b).read(4)
json.dumps([k, s, None, 0.5]) | json.loads('{"a": [1, 2.5, "x", null]}') | json.dumps(d) | print(end="")
""",
    "places": """
weakref.ref(put) | weakref.ref(holder.size) | weakref.ref(taking()) | weakref.ref(st) | weakref.ref(fz)
weakref.ref(dq) | weakref.ref(Point) | weakref.ref(ar) | weakref.ref(mv) | weakref.ref(operator) | weakref.ref(rx)
weakref.ref(lk) | weakref.ref(rl) | weakref.ref(holder) | gs[k % 3].__doc__
gs[k % 3].__name__ | gs[k % 3].__objclass__
""",
}

SHARED = """
class Point:
    count = 0
    def __init__(self, x, y): self.x = x; self.y = y
    def size(self): return self.x * self.x + self.y
    def __eq__(self, other): return self.x == other.x and self.y == other.y
    def __lt__(self, other): return self.x < other.x
    def __hash__(self): return hash((self.x, self.y))
    def __str__(self): return "(%s, %s)" % (self.x, self.y)
    def __call__(self, n): return self.x + n
    def __getitem__(self, n): return self.x - n
    def __len__(self): return 3
    def __add__(self, other): return Point(self.x + other.x, self.y)
    def __iter__(self): yield self.x; yield self.y
    def __contains__(self, what): return what == self.x
    @property
    def twice(self): return 2 * self.x
    @classmethod
    def make(cls, x): return cls(x, x)
    @staticmethod
    def plain(x): return x
class Child(Point):
    def size(self): return super().size() + 1
class Slots:
    __slots__ = "x", "y"
    def __init__(self, x): self.x = x
class Within:
    def __enter__(self): return self
    def __exit__(self, *_): return True
def put(x, k): x.append(k); x.insert(3, k); x[k % 9] = 7; x.extend((1, 2)); x += [k]; return x
def cut(x, k): x.pop(); x.pop(0); del x[k % 9]; x.remove(20); x[2:5] = [k]; return x
def turn(x): x.reverse(); x.sort(); return x
def fill(x, k): x[k] = k; x.setdefault("q", k); x.pop(k); x.update(z=1); x["z"] += 1; del x["z"]; return x
def grow(x, k): x.add(k); x.discard(3); x.update((1, 2)); x.remove(6); return x
def swing(x, k): x.append(k); x.popleft(); x.appendleft(k); x.pop(); x.rotate(1); return x
def put_in(x, k): x[k % 50] = k % 100; return x[1]
def caught(k):
    try: return 1 // (k & 1)
    except ZeroDivisionError as error: return str(error)
def raised(k):
    try: raise KeyError(k)
    except (ValueError, LookupError) as error: return error.args
def finally_(k):
    try: return k
    finally: k += 1
def within(k):
    with Within() as one: return [][k]
def chained(k):
    try:
        try: {}[k]
        except KeyError as error: raise ValueError(k) from error
    except ValueError as error: return error.__cause__
def up_to(n):
    for x in range(n): yield x
def taking():
    got = 0
    while True: got = yield got
def sent(k): one = taking(); next(one); one.send(k); return one.close()
def default(a, b=1, *, c=2): return a + b + c
def many(a, *rest, **named): return len(rest) + len(named)
def curried(a): return lambda b: a + b
def recursive(n): return n and 1 + recursive(n - 1)
def written(k):
    out = io.StringIO(); out.write(s); out.write(str(k)); print(k, file=out); return out.getvalue()
def poured(k):
    out = io.BytesIO(); out.write(b); out.write(b"x"); return out.getvalue()
"""

LOOP = """
def {name}(times):
    holder = Point(0, 1)
    for k in range(times):
        holder.x = k
        holder.y += 1
        found = {expression}
        holder.x += 1
        if found is None: holder.count = k
    return holder.x + holder.y
"""

exec(SHARED, SCENE)
for part in sys.argv[1:] or PARTS:
    for number, expression in enumerate(re.split(r" \| |\n", PARTS[part].strip())):
        name = f"{part}_{number}"
        exec(LOOP.format(name=name, expression=expression), SCENE)
        SCENE[name](1500)
