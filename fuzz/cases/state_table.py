"""A state among the keys of `case.toml` (see `fuzz.cases.store`)."""

from __future__ import annotations

from fuzz.cases.toml_table import Table
from fuzz.cases.toml_text import TomlValue
from validator.tell.stored_state import StoredState, write_toml


def known_state(state: StoredState) -> dict[str, TomlValue]:
    """What is written of a state but for its tables and where it stops."""
    return {
        "event_results": state.event_results,
        "heap": state.heap,
        "writes": tuple(tuple(write_toml(write) for write in done) for done in state.writes),
        "invalid": state.invalid,
        "raises": state.raises,
        "function_results": state.function_results,
        "function_raises": state.function_raises,
        "pending": state.pending,
        "forced": state.forced,
        "false_conditions": state.false_conditions,
    }


def state_of(table: Table) -> StoredState:
    """The state, taken out of the table. Raises InputError."""
    return StoredState(
        inputs=table.table("inputs").stored(),
        event_results=table.values("event_results"),
        heap=table.take("heap", str, ""),
        writes=table.writes("writes"),
        invalid=table.numbers("invalid"),
        gc_types=table.table("gc_types").all(int),
        stops_at=table.take("stops_at_event", int, None),
        raises=table.values("raises"),
        function_results=table.values("function_results"),
        function_raises=table.values("function_raises"),
        pending=table.take("pending", str, ""),
        forced=table.numbers("forced"),
        false_conditions=table.numbers("false_conditions"),
    )
