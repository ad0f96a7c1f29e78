"""Figures as tables for people: a map of plain values is a list, a map of such maps is a table."""

from collections.abc import Mapping
from typing import cast

from rich.console import Console
from rich.table import Table

_MANY_COLUMNS = 7
_BIG = 1000

_Row = Mapping[str, object]


def print_tables(figures: _Row, *, console: Console | None = None) -> None:
    """Print figures, however deep: a table for each map of alike maps, a list for other plain values."""
    _print("", figures, console=console or Console(width=140, highlight=False))


def _print(title: str, figures: _Row, *, console: Console) -> None:
    maps = {name: cast("_Row", value) for name, value in figures.items() if isinstance(value, Mapping)}
    rows = {name: row for name, row in maps.items() if not any(isinstance(value, Mapping) for value in row.values())}
    alike = rows if len(rows) > 1 and set[str].intersection(*map(set, rows.values())) else {}
    plain = {name: {"value": value} for name, value in figures.items() if name not in maps}
    if alike:
        console.print(_table(title, alike))
    if plain:
        console.print(_table(title, plain))
    for name, row in maps.items():
        if name not in alike:
            _print(f"{title} {name}".strip(), row, console=console)


def _table(title: str, rows: Mapping[str, _Row]) -> Table:
    columns = list(dict.fromkeys(column for row in rows.values() for column in row))
    if len(columns) > max(_MANY_COLUMNS, len(rows)):  # then they are read better from top to bottom
        rows = {column: {name: row.get(column, "") for name, row in rows.items()} for column in columns}
        columns = list(next(iter(rows.values())))
    table = Table(title=title or None, title_justify="left", show_edge=False)
    table.add_column("")
    for column in columns:
        table.add_column(column, justify="right")
    for name, row in rows.items():
        table.add_row(name, *(_text(row.get(column, "")) for column in columns))
    return table


def _text(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) and abs(value) < _BIG else str(value)
