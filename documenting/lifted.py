"""Tables that the README shows of other pages: lifted from there, so that they say the same."""

from __future__ import annotations

from pathlib import Path

from benchmarks.marked_page import blocks_of

from documenting.made_parts import table

DOCS = Path(__file__).resolve().parents[1] / "docs"
# (table of docs/speed.md, contestants shown)
_SHOWN = {
    "10M x 8 Parquet": ("reidrisk", "DuckDB SQL", "Polars lazy", "pandas"),
    "10M x 8 CSV": ("reidrisk", "DuckDB SQL", "Polars lazy", "pandas"),
    "1M x 8 Parquet": ("reidrisk", "pyCANON (gives the smallest crowd only)"),
}
_CHOSEN = ("independent", "tree", "pairwise")


def speed_part(before: str) -> str:
    """Counting eight text columns: wall time and memory, beside reidrisk's."""
    rows = [
        (f"{name}, {who}", _wall(cells[3]), cells[4], cells[7])
        for name, contestants in _SHOWN.items()
        for who in contestants
        for of, cells in _speeds()
        if (of, cells[1]) == (name, who)
    ]
    return table(("", "seconds", "beside reidrisk", "peak GB"), rows)


def accuracy_part(before: str) -> str:
    """The headline table of docs/accuracy.md: the models that `predict` chooses among."""
    whole = blocks_of((DOCS / "accuracy.md").read_text(encoding="utf-8"))["headline"]
    heads, rule, *rows = whole.splitlines()
    kept = [row for row in rows if row.split("|")[1].strip() in _CHOSEN]
    return "\n".join([heads, rule, *kept])


def _speeds() -> list[tuple[str, list[str]]]:
    """The rows of docs/speed.md about one whole view, by table."""
    text = (DOCS / "speed.md").read_text(encoding="utf-8").split("## All 28 pair tables")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines()]
    return [(cells[0], cells) for cells in rows if cells and cells[0] in _SHOWN]


def _wall(cell: str) -> str:
    return cell.split(" (")[0]
