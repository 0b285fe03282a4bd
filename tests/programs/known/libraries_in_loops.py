"""Loops over what libraries written in Python do: of the standard library and, if they are there, of Debian's packages.

Arguments choose libraries.
"""

import sys
from collections.abc import Callable
from importlib import import_module

DEBIAN = "/usr/lib/python3/dist-packages"
ITEMS = [{"name": f"item {k}", "size": k * 7 % 50, "tags": ["a", "b", "c d"], "half": k / 2} for k in range(40)]
TEXT = "\n".join(
    f"Section {k}\n\nSome *text* with `code` and [a link](http://x/{k}).\n\n* one\n* two\n" for k in range(30)
)
MARKUP = "".join(f"<p class='a{k}'>text <b>bold {k}</b> &amp; <a href='u{k}'>link</a><!-- c --></p>" for k in range(60))
SOURCE = "\n".join(
    f"def f{k}(x, y=3, *z):\n    '''doc'''\n    return [x + {k} for i in z if i != y]" for k in range(40)
)
INI = "\n".join(f"[part{k}]\nname = value {k}\nother: %(name)s\n" for k in range(30))


def _yaml() -> object:
    yaml = import_module("yaml")
    return yaml.dump(yaml.load(yaml.dump(ITEMS[:10]), Loader=yaml.SafeLoader))


def _config() -> object:
    config = import_module("configparser").ConfigParser()
    config.read_string(INI)
    return [config.get(part, "other") for part in config.sections()]


def _arguments() -> object:
    parser = import_module("argparse").ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--size", type=int, default=3)
    parser.add_argument("-v", action="store_true")
    return parser.parse_args(["a", "b", "--size", "7", "-v"])


def _numbers() -> object:
    fractions, statistics = import_module("fractions"), import_module("statistics")
    sums = sum(fractions.Fraction(1, k) for k in range(1, 60))
    return sums, statistics.stdev([one["half"] for one in ITEMS])


def _queues() -> object:
    heapq, ordered = import_module("heapq"), import_module("collections").OrderedDict()
    heap: list[object] = []
    for k in range(200):
        heapq.heappush(heap, (k * 37 % 101, str(k)))
        ordered[k % 17] = k
        ordered.move_to_end(k % 17)
    return heapq.merge(*[sorted(range(k, 40, 3)) for k in range(5)]), [heapq.heappop(heap) for _ in range(150)]


def _tables() -> object:
    csv, io = import_module("csv"), import_module("io")
    out = io.StringIO()
    writer = csv.DictWriter(out, ["name", "size", "half"], extrasaction="ignore")
    writer.writerows(ITEMS)
    return list(csv.reader(io.StringIO(out.getvalue())))


LIBRARIES: dict[str, tuple[Callable[[], object], int]] = {
    "arguments": (_arguments, 400),
    "config": (_config, 60),
    "difflib": (lambda: list(import_module("difflib").unified_diff(TEXT.split(), TEXT.split()[3:])), 25),
    "docutils": (lambda: import_module("docutils.core").publish_string(TEXT, writer_name="html"), 12),
    "html": (lambda: import_module("html.parser").HTMLParser().feed(MARKUP), 120),
    "jinja2": (
        lambda: import_module("jinja2").Template("{% for x in xs %}{{ x.name|e }}{% endfor %}").render(xs=ITEMS),
        40,
    ),
    "json": (lambda: import_module("json").loads(import_module("json").dumps(ITEMS, indent=2)), 150),
    "markdown": (lambda: import_module("markdown").markdown(TEXT), 25),
    "numbers": (_numbers, 100),
    "queues": (_queues, 200),
    "tables": (_tables, 200),
    "textwrap": (lambda: import_module("textwrap").fill(TEXT, 60), 80),
    "tokenize": (lambda: list(import_module("tokenize").generate_tokens(iter(SOURCE.splitlines(True)).__next__)), 25),
    "yaml": (_yaml, 25),
}

if __name__ == "__main__":
    sys.path.append(DEBIAN)
    for library in sys.argv[1:] or LIBRARIES:
        work, times = LIBRARIES[library]
        for _ in range(times):
            work()
