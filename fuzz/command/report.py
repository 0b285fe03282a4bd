"""The command `report`."""

from __future__ import annotations

from pathlib import Path

import click

from fuzz.cases.store import read_case
from fuzz.command.options import Reading, judging_options, refuse, types_option
from fuzz.report.campaign_facts import read_campaign
from fuzz.report.campaign_page import campaign_page
from fuzz.report.folder import FILES, write_report
from fuzz.report.judged import JudgedPair, judge_case, judge_pair
from fuzz.report.pair_page import case_page, pair_page, playground_file
from validator.command.exits import Exit
from validator.command.files import file_name, write_text
from validator.verdict import Options


@click.command(short_help="Write a page about a pair, a case or a campaign.")
@click.argument("what", nargs=-1, required=True, metavar="CASE | BEFORE AFTER | FOLDER")
@click.option("-o", "--output", metavar="FILE", help="The page; `-` is standard output.")
@click.option(
    "--corpus", default="corpus", show_default=True, metavar="DIR", help="Where CASE is, if it is not a folder itself."
)
@judging_options("Of a pair: where a guard may fail.", "Of a pair: compare what guards hand over, or ignore it.")
@types_option("Of a pair: declarations (TOML) for both traces.")
@click.option("--playground", is_flag=True, help="Of a pair: write the page of `serve` with the pair in it.")
def report(
    what: tuple[str, ...], output: str | None, corpus: str, options: Options, types: str | None, playground: bool
) -> int:
    """Write a page (HTML, one file, no network, and no scripts but with --playground) that explains a pair of traces or
    a campaign.

    For a pair, BEFORE and AFTER, or a CASE of a corpus: the verdict, found now, both traces side by side with the
    values of a run (of the counterexample, if there is one), which guard stands for which, and what settled each
    obligation. The page is NAME.html in the current folder.

    For the FOLDER of a campaign: FOLDER/report/ with `index.html`, `summary.md`, `junit.xml` and `figures.jsonl`; with
    -o, the page alone.

    \b
    $ traceproof report before.trace after.trace -o pair.html
    $ traceproof report swapped-failargs
    $ traceproof report campaign

    Ends with 0 if the page was written, whatever it says.
    """
    if len(what) > 2:
        raise click.UsageError("Expected a case, a folder, or two traces.")
    if len(what) == 2:
        pair = _pair(what[0], what[1], Reading(types=types), options)
        page = playground_file(pair) if playground else pair_page(file_name(what[1]), pair)
        return _write(output or f"{Path(what[1]).stem}.html", page)
    folder = Path(what[0])
    if (folder / "results").is_dir():
        refuse(["playground", *_OF_A_PAIR], "this is for a pair, not for a campaign")
        return _campaign(folder, output)
    if folder.is_file():
        raise click.UsageError(f"{folder} is one trace: a pair is two, BEFORE and AFTER.")
    where, name = (folder.parent, folder.name) if folder.is_dir() else (Path(corpus), what[0])
    case = read_case(where, name)
    refuse(_OF_A_PAIR, "a case says so itself")
    judged = judge_case(case, case.options)
    if playground and judged is None:
        raise click.UsageError(f"{name} is no pair that could be read, so that there is nothing for --playground.")
    page = playground_file(judged) if playground and judged is not None else case_page(case, judged)
    return _write(output or f"{name}.html", page)


_OF_A_PAIR = ("guards", "failargs", "types")


def _pair(before: str, after: str, reading: Reading, options: Options) -> JudgedPair:
    if before == after == "-":
        raise click.UsageError("Only one of BEFORE and AFTER can be standard input.")
    return judge_pair(reading.trace(before), reading.trace(after), options)


def _campaign(folder: Path, output: str | None) -> int:
    if output is not None:
        return _write(output, campaign_page(read_campaign(folder)))
    told = write_report(folder)
    click.echo(f"{folder / 'report'}: {', '.join(FILES)}\n{told.outcome}")
    return Exit.PROVED


def _write(output: str, text: str) -> int:
    write_text(output, text)
    if output != "-":
        click.echo(output)
    return Exit.PROVED
