"""The command `serve`."""

from __future__ import annotations

import click

from fuzz.command.options import jobs_option
from fuzz.report.pair_page import PORT
from validator.command.exits import Exit, input_errors
from validator.command.shared_options import memory_option, timeout_option


@click.command(short_help="Serve a local page to try traces on.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=PORT, show_default=True, metavar="N", help="0: any that is free."
)
@click.option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS", help="The address to listen on.")
@jobs_option
@timeout_option(30.0, "Seconds for one request.")
@memory_option(256, 2048, "Megabytes for one request.")
def serve(port: int, host: str, jobs: int, timeout_s: float, memory_mb: int) -> int:
    """Serve the playground until Ctrl-C: a page with two editors, for a recorded trace and an optimized one, that
    optimizes with our own optimizer (pass by pass, with the rules that fired and their proofs), validates, runs on
    inputs, and reduces what is wrong. Links hold the whole pair, so that they can be pasted into a report.

    It answers only requests from this machine, and none from pages of other origins. Each request is handled by a
    process of its own with limits of time and memory; nothing is run but traces.

    \b
    $ traceproof serve
    $ traceproof serve --port 0 --jobs 1
    """
    from fuzz.serve.server import Limits, Playground

    with input_errors(f"{host}, port {port}: "):
        server = Playground(host, port, Limits(jobs, timeout_s, memory_mb))
    click.echo(f"the playground is at {server.address} (Ctrl-C ends it)")
    with server:
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            click.echo()
    return Exit.PROVED
