"""The text of classes, functions and globals that parts speak of."""

HELPERS = '''\
class Point:
    shared = 3
    count = 0

    def __init__(self, a, b):
        self.a = a
        self.b = b
        self.x = 0.5
        self.link = None

    def get(self):
        return self.a

    get_a = get

    def get_b(self):
        return self.b

    @property
    def half(self):
        return self.a >> 1

    def step(self, w):
        self.a = self.a + w & 2**31 - 1
        return self.b

    def write(self, w):
        self.a = w
        return 0

    def change_class(self):
        self.__class__ = Square if type(self) is Point else Point

    @classmethod
    def change_method(cls):
        Point.get = Point.get_b if Point.get is Point.get_a else Point.get_a

    def __add__(self, other):
        return Point(self.a + other.a & 2**40 - 1, self.b)

    def __eq__(self, other):
        return self.a == other.a

    def __repr__(self):
        link = self.link and (type(self.link).__name__, self.link.b)
        fields = (getattr(self, "a", None), self.b, self.x, getattr(self, "extra", None), self.shared, link)
        return type(self).__name__ + repr(fields)


class Square(Point):
    def get(self):
        return self.a ^ 1

    def step(self, w):
        self.b = self.a & 1023
        self.a = w
        return self.b


class Slotted(Point):
    __slots__ = ("a", "b", "x", "link")


class Derived(Square):
    def get(self):
        return super().get() + 1


class Acting:
    """A key that does something when it is compared."""

    def __init__(self, act):
        self.act = act

    def __hash__(self):
        return 7

    def __eq__(self, other):
        if self.act is not None:
            self.act()
        elif other.act is not None:
            other.act()
        return True


class Late(Acting):
    """One that does it at a comparison with another, once."""

    def __init__(self, act, at):
        self.late = act
        self.left = at

    def act(self):
        self.left -= 1
        if self.left == 0:
            self.late()


def setting(held, name, value):
    return lambda: setattr(held, name, value)


class Index:
    def __init__(self, changed):
        self.changed = changed

    def __index__(self):
        self.changed[0] += 1
        return 1


class Truth:
    def __init__(self, changed):
        self.changed = changed

    def __bool__(self):
        self.changed.a = self.changed.a + 1 & 1023
        return True


class Told:
    def __init__(self, changed):
        self.changed = changed

    def __str__(self):
        self.changed.a = self.changed.a + 1 & 1023
        return "told"


class Checked:
    def __get__(self, held, owner):
        return held.kept ^ 1

    def __set__(self, held, w):
        held.kept = w


class Computed:
    checked = Checked()

    def __init__(self, kept):
        self.kept = kept

    @property
    def value(self):
        return self.kept

    def __getattr__(self, name):
        return len(name)


TOTAL = 0


def count_global():
    global TOTAL
    TOTAL = TOTAL + 1 & 1023


def popping(held):
    while held:
        yield held.pop()


class Kept:
    pass


class Adder:
    def __init__(self, by):
        self.by = by

    def __call__(self, w):
        return self.by + w


class Stop(Exception):
    def __init__(self, value):
        self.value = value


class Guarded:
    def __enter__(self):
        return 5

    def __exit__(self, kind, error, where):
        return kind is KeyError


class Counters:
    total = 0


counters = Counters()
LIMIT = 100


def bump(w):
    counters.total = counters.total + w & 2**40 - 1


def with_default(a, b=3, c=2**31):
    return (a & b) + c


def with_star(a, *rest):
    for w in rest:
        a ^= w
    return a


def with_names(a=1, **names):
    return a ^ len(names)


def depth(s):
    return s and 1 + depth(s - 1)


def gcd(a, b):
    return gcd(b, a % b) if b else a


def picky(w):
    if w & 15 == 7:
        raise KeyError(w)
    return w ^ 5


def counter():
    count = 0

    def counted():
        nonlocal count
        count = count + 1 & 255
        return count

    return counted


def numbers(w):
    n = 0
    while n < 200:
        yield n ^ w
        n += 1


def numbers_to(s):
    for n in range(s):
        yield n * n


def doubled(numbers):
    for n in numbers:
        yield n
        yield -n


def adder():
    total = 0
    while True:
        total = total + (yield total) & 65535


def decorator(function):
    def decorated(*arguments):
        return function(*arguments) ^ 1

    return decorated


@lru_cache(None)
def cached(w):
    return w * w ^ 3


Pair = namedtuple("Pair", "first second")


def summed(w, s):
    total = w
    for n in range(s):
        total = total + n & 2**62 - 1
    return total


def counted_down(n, w):
    while n > 0:
        n -= 1
        if w & 63 == n:
            raise KeyError(n)
    return w


def is_even(s):
    return s == 0 or is_odd(s - 1)


def is_odd(s):
    return s != 0 and is_even(s - 1)


def last_of(head):
    while head.link is not None:
        head = head.link
    return head


def fill_list(w, s):
    made = []
    while len(made) < s:
        made.append(w)
    return made


@decorator
def decorated(a, b=4):
    return a | b


def caller_has(name):
    return name in sys._getframe(1).f_locals


class intop:
    """The names of __pypy__.intop, on other Pythons."""

    def wrapping(compute):
        def computed(a, b):
            a, b = index(a), index(b)
            if not (-(2**63) <= a < 2**63 and -(2**63) <= b < 2**63):
                raise OverflowError
            return (compute(a, b) + 2**63 & 2**64 - 1) - 2**63

        return staticmethod(computed)

    int_add = wrapping(lambda a, b: a + b)
    int_sub = wrapping(lambda a, b: a - b)
    int_mul = wrapping(lambda a, b: a * b)
    int_floordiv = wrapping(lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1))
    int_mod = wrapping(lambda a, b: abs(a) % abs(b) * (-1 if a < 0 else 1))
    int_lshift = wrapping(lambda a, b: a << b)
    int_rshift = wrapping(lambda a, b: a >> b)
    uint_rshift = wrapping(lambda a, b: (a & 2**64 - 1) >> b)
'''
