"""What was learned, as the tables of docs/method/model_error.md and of docs/accuracy.md."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.marked_page import rows, write
from reidrisk.reports.charts.drawing import Chart, svg_file
from reidrisk_papers.pictures import Curve, curves

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE, ACCURACY = DOCS / "method" / "model_error.md", DOCS / "accuracy.md"
RELIABILITY = DOCS / "images" / "accuracy" / "reliability.svg"
# The accuracy page's other tables are those of another command.
BEGIN, END = "<!-- coverage of intervals -->", "<!-- end of coverage of intervals -->"
FAMILIES = {
    "overall_risk": "overall risk",
    "alone_share": "share alone",
    "in_crowds_of_at_least": "in crowds of at least k",
}
KINDS = {"counted": "as counted", "read_back": "rounded", "left_out": "`--exact`"}
WAYS = {"unprotected": "as counted", "rounded": "rounded", "exact": "`--exact`"}


def lines(found: Mapping[str, Any]) -> list[str]:
    """How often intervals held the counted figure of a table left out, and what they are like."""
    body = [("all sets", *_shares(found["coverage"]))]
    body += [(f"published {called}", *_shares(found["coverage_by_protection"][way]))
             for way, called in WAYS.items()]  # fmt: skip
    by_table = found["coverage_by_table"]
    body.append(("on the worst table", *_worst(by_table)))
    without = found["coverage_by_table_widened_without_it"]
    body.append(("on the worst table, not used for moving out ends either", *_worst(without)))
    widths = found["median_width"]
    body.append(("width of half of them at most", *(f"{widths[name]:.4f}" for name in FAMILIES)))
    for measure in ("mean", "largest"):
        for model, kinds in found[f"{measure}_error_before_and_after_moving"].items():
            for kind, called in KINDS.items():
                if any(map(any, kinds[kind].values())):
                    told = ("{:.4f}, {:.4f}".format(*kinds[kind][name]) for name in FAMILIES)
                    body.append(
                        (f"{measure} error of {model} as fitted, and moved: {called}", *told)
                    )
    return [
        f"Of {found['sets']} sets of columns of {len(found['tables'])} public tables the 90 % "
        "interval held the counted figure in",
        "",
        *rows(("", *FAMILIES.values()), body),
    ]


def coverage_lines(found: Mapping[str, Any]) -> list[str]:
    """The same by table, by number of attributes and by rare pairs of values."""
    every = (
        ("table", found["coverage_by_table"]),
        ("attributes", found["coverage_by_attributes"]),
        ("people with a pair of values that at most three have", found["coverage_by_sparsity"]),
        ("published", {WAYS[way]: held for way, held in found["coverage_by_protection"].items()}),
    )
    told = []
    for name, parts in every:
        head = (f"{name}: 90 % interval held", *FAMILIES.values())
        by_number = name not in ("table", "published")
        ordered = sorted(parts.items(), key=_rank) if by_number else parts.items()
        told += [*rows(head, [(part, *_shares(held)) for part, held in ordered]), ""]
    return told


def _worst(by_table: Mapping[str, Mapping[str, float]]) -> list[str]:
    """Of each family the table held least, and how often."""
    found = []
    for name in FAMILIES:
        table = min(by_table, key=lambda each, name=name: by_table[each][name])  # type: ignore[misc]
        found.append(f"{100.0 * by_table[table][name]:.0f} % ({table})")
    return found


def _rank(part: tuple[str, Any]) -> tuple[int, int]:
    """Numbers by size; what is more than the last band comes last."""
    number = re.search(r"\d+", part[0])
    return (part[0].startswith("more"), int(number[0]) if number else 0)


def _shares(held: Mapping[str, float]) -> tuple[str, ...]:
    return tuple(f"{100.0 * held[name]:.0f} %" for name in FAMILIES)


def reliability(found: Mapping[str, Any]) -> Chart:
    """Asked for against held, on tables left out."""
    parts = [Curve(called.replace("`", ""), [tuple(each) for each in found["reliability"][kind]])
             for kind, called in KINDS.items()]  # fmt: skip
    ideal = Curve("as asked for", [(0.5, 0.5), (0.95, 0.95)], dashed=True)
    return curves([*parts, ideal], "share that intervals are to hold", "share they held")


def fill(found: Mapping[str, Any]) -> None:
    """Write the tables into the pages, and the picture beside the accuracy page's others."""
    write(PAGE, {"model-error": lines(found)})
    text = ACCURACY.read_text(encoding="utf-8")
    told = "\n".join([BEGIN, "", *coverage_lines(found), END])
    place = re.compile(f"{BEGIN}.*{END}", re.DOTALL)
    ACCURACY.write_text(place.sub(lambda _: told, text), encoding="utf-8")
    RELIABILITY.write_text(svg_file(reliability(found)), encoding="utf-8")
