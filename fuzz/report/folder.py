"""The report of a campaign: the files of the folder `report/`."""

from __future__ import annotations

from pathlib import Path

from fuzz.report.campaign_facts import CampaignFacts, read_campaign
from fuzz.report.campaign_page import campaign_page
from fuzz.report.figure_lines import figure_lines
from fuzz.report.junit import junit_text
from fuzz.report.summary_text import summary_text
from validator.command.files import write_text

FILES = {
    "summary.md": summary_text,
    "junit.xml": junit_text,
    "figures.jsonl": figure_lines,
    "index.html": campaign_page,
}
"""The makers of the texts of the files."""


def write_report(campaign: Path, ended: str = "") -> CampaignFacts:
    """Writes the report of a campaign's folder; `ended` says why the campaign ended: "its time was up". Raises
    InputError where the folder holds no campaign, or cannot be written."""
    facts = read_campaign(campaign, ended)
    (campaign / "report").mkdir(exist_ok=True)
    for name, make in FILES.items():
        write_text(str(campaign / "report" / name), make(facts))
    return facts
