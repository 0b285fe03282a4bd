"""The templates of reports, compiled once for all commands that tests fork: each campaign ends with a page."""

from __future__ import annotations

from fuzz.report.pages import environment

for _name in ("campaign.html", "case.html", "page.html", "pair.html", "parts.html", "summary.md"):
    environment().get_template(_name)
