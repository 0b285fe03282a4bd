"""Writes the files that pages of the course show into the current folder: python files.py 1-toy-optimizer.md ..."""

import re
import sys
from pathlib import Path

for page in sys.argv[1:]:
    for block in re.findall(r"^```console\n(.*?)^```$", Path(page).read_text(), re.MULTILINE | re.DOTALL):
        for name, text in re.findall(r"^\$ cat ([\w./-]+)\n(.*?)(?=^\$ |\Z)", block, re.MULTILINE | re.DOTALL):
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_text(text)
