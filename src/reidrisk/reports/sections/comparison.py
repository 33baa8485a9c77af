"""Predicted against counted: what statistics alone would have said, beside what is so.

Dependence in a report: how much one attribute tells of another.
"""

from __future__ import annotations

from functools import partial

from reidrisk.crowds import CrowdSizes
from reidrisk.measurement import TableRisk
from reidrisk.reports.charts.attributes import (
    Cell,
    cells_of,
    dependence_map,
    dependence_map_alt_text,
    shown_columns,
)
from reidrisk.reports.charts.crowds import AtLeast, at_least, at_least_alt_text
from reidrisk.reports.crowd_figures import CrowdFigures, crowd_figures, told_sizes
from reidrisk.reports.discretion import Discretion
from reidrisk.reports.document import Picture, Section
from reidrisk.reports.findings import Found
from reidrisk.reports.words.blocks import Grid, listed

COUNTED, PREDICTED, INDEPENDENT = "counted", "predicted", "as if independent"


def comparison_section(found: Found, told: Discretion) -> Section | None:
    """Counted and predicted where both exist; for statistics, the model beside independence."""
    if found.prediction is not None:
        sides = _sides(found.prediction, counted=found.risk.crowd_sizes)
        return _section(found, sides, told, found.prediction)
    if found.risk.predicted and found.risk.reference is not None:
        return _section(found, _sides(found.risk), told, found.risk)
    return None


def _sides(risk: TableRisk, counted: CrowdSizes | None = None) -> dict[str, CrowdSizes]:
    sides = {} if counted is None else {COUNTED: counted}
    sides[PREDICTED] = risk.crowd_sizes
    return sides | ({} if risk.reference is None else {INDEPENDENT: risk.reference})


def _section(
    found: Found, sides: dict[str, CrowdSizes], told: Discretion, predicted: TableRisk
) -> Section:
    figures = {name: crowd_figures(crowds, told) for name, crowds in sides.items()}
    ks = found.risk.at_crowds
    held = {name: told_sizes(each, ks) for name, each in figures.items()}
    points = [
        AtLeast(k, people.drawn, told.as_share(people).text, name)
        for name, sizes in held.items()
        for k, people in sizes.items()
    ]
    rows = (
        ("alone", *(told.as_share(each.alone).text for each in figures.values())),
        ("overall risk", *(each.overall_risk.text for each in figures.values())),
        *(
            (f"in crowds of at least {k}", *(_in_crowds(each, k) for each in figures.values()))
            for k in ks
            if any(k in sizes for sizes in held.values())
        ),
    )
    return Section(
        "prediction",
        "Would published counts have shown this?"
        if COUNTED in sides
        else "Does dependence matter?",
        tuple(_sentences(figures, found.people)),
        (Picture(partial(at_least, points), at_least_alt_text(points)),),
        (Grid(("", *sides), rows),),
        {
            f"alone_share_{name.replace(' ', '_')}": told.as_share(each.alone)
            for name, each in figures.items()
        },
        f"E[N_{{s}}] under the model “{predicted.envelope.model}”, fitted to counts of values and "
        "of pairs of values",
        "A prediction knows how often values and pairs of values occur, not which people have "
        "them; a dependence among three values that their pairs don't show is missed. "
        f"{predicted.why}".strip(),
    )


def _in_crowds(figures: CrowdFigures, k: int) -> str:
    share = figures.share_at_least(k)
    return "–" if share is None else share.text


def _sentences(sides: dict[str, CrowdFigures], people: str) -> list[str]:
    said = {name: each.told.as_share(each.alone) for name, each in sides.items()}
    expected = f"{said[PREDICTED]} of the {people}"
    if COUNTED in sides:
        nothing = {said[PREDICTED].text, said[COUNTED].text} == {"0 %"}
        good = "So the counts alone give a good estimate of the risk."
        rough = "Here the counts give only a rough estimate."
        first = (
            f"From published counts alone, {expected} would be expected to be alone (unique); "
            f"{said[COUNTED]} are. {good if _near(sides) else rough}"
        )
        if nothing:
            first = (
                "From published counts alone, nobody would be expected to be alone (unique), and "
                "nobody is."
            )
    else:
        first = f"By the model, {expected} are expected to be alone (unique)."
    others = {each.text for name, each in said.items() if name != INDEPENDENT}
    if INDEPENDENT in said and said[INDEPENDENT].text not in others:
        return [
            first,
            f"If all attributes were independent, it would be {said[INDEPENDENT]}: the difference "
            "is due to dependence between attributes.",
        ]
    return [first]


def _near(sides: dict[str, CrowdFigures]) -> bool:
    """Within a tenth of the people alone, or one in a hundred of all people."""
    predicted, counted = sides[PREDICTED].alone.drawn, sides[COUNTED].alone.drawn
    return abs(predicted - counted) <= max(0.1 * counted, 0.01)


MOST_LISTED = 30
STRONG = 0.5
MOST_TOLD = 4


def dependence_section(found: Found, told: Discretion) -> Section | None:
    """None where dependence wasn't measured."""
    risk = found.risk
    cells = [
        cell._replace(ratio=round(cell.ratio, 1 if told.folds else 3))
        for cell in cells_of(risk.dependence or ())
    ]
    if not cells:
        return None
    columns = risk.envelope.input.columns
    ordered = sorted(cells, key=lambda cell: -cell.ratio)
    rows = tuple(
        (cell.of, cell.on, f"{cell.ratio:.{1 if told.folds else 2}f}")
        for cell in ordered[:MOST_LISTED]
    )
    return Section(
        "dependence",
        "Which attributes predict each other?",
        tuple(_dependence_sentences(ordered, len(shown_columns(cells, columns)), len(columns))),
        (
            Picture(
                partial(dependence_map, cells, columns),
                dependence_map_alt_text(cells),
                "How well the attribute of the column predicts the attribute of the row: the "
                "darker, the better.",
            ),
        ),
        (Grid(("attribute", "predicted by", "gain ratio"), rows, (0, 1)),),
        {},
        "g(A, B) = I(A, B) / H(A): the share of A's uncertainty (entropy H) that knowing B removes",
        "Rare values make any two attributes look somewhat dependent. A gain ratio doesn't say "
        "which values go together.",
    )


def _dependence_sentences(ordered: list[Cell], shown: int, there: int) -> list[str]:
    said = [
        "An attribute that follows from another adds nothing to what an attacker knows; one that "
        "is independent of the others adds most."
    ]
    strong = [f"{cell.of} from {cell.on}" for cell in ordered if cell.ratio >= STRONG]
    if strong:
        more = f", and {len(strong) - MOST_TOLD} more" if len(strong) > MOST_TOLD else ""
        said.append(f"Largely or entirely predicted: {listed(strong[:MOST_TOLD])}{more}.")
    else:
        said.append("No attribute predicts even half of another.")
    if shown < there:
        said.append(
            f"Of the {there} attributes, the picture shows those with the strongest dependence."
        )
    return said
