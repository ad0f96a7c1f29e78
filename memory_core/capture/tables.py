"""Pure: a table in Markdown becomes lines that can be read by themselves."""

import re

_TABLE = re.compile(
    r"^[ \t]*\|(?P<head>[^\n]+)\|[ \t]*\n[ \t]*\|[ \t:|-]+\|[ \t]*(?:\n|$)(?P<rows>(?:[ \t]*\|[^\n]*\|["
    r" \t]*(?:\n|$)){0,200})",
    re.MULTILINE,
)
_TWO = 2


def read_tables(text: str) -> str:
    """The text with each row of a table as a line: "boards: 240 EUR", with the heads of columns where it has more.

    What is no whole table, with a rule under its heads, stays.
    """
    return _TABLE.sub(_lines, text) if "|" in text else text


def _lines(match: re.Match[str]) -> str:
    heads = _cells(match["head"])
    rows = [_cells(row.strip().strip("|")) for row in match["rows"].splitlines()]
    return "".join(f"{_line(heads, cells)}\n" for cells in rows if any(cells))


def _line(heads: list[str], cells: list[str]) -> str:
    if len(cells) <= _TWO:
        return ": ".join(cell for cell in cells if cell)
    named = [f"{head} {cell}".strip() for head, cell in zip(heads[1:], cells[1:], strict=False) if cell]
    return f"{cells[0]}: {', '.join(named)}"


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.split("|")]
