"""Regular expressions."""

import re

WORD = re.compile(r"[a-z]+")
NUMBER = re.compile(r"(\d+)-(\d+)")
EMAIL = re.compile(r"(?P<user>[\w.]+)@(?P<host>\w+(?:\.\w+)+)")

text = "lorem ipsum 12-34 dolor sit amet 567-89 user.name@host.example.org consectetur " * 8
total = 0
for i in range(150):
    total += len(WORD.findall(text))
    for match in NUMBER.finditer(text):
        total += int(match.group(1)) - int(match.group(2))
    found = EMAIL.search(text, i % 50)
    if found:
        total += len(found.group("user")) + len(found.group("host"))
    total += len(re.sub(r"\bs\w+", lambda m: m.group().upper(), text[: i % 90]))
print(total)
