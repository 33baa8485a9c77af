"""Predicted against counted: what statistics alone would have said, beside what is so."""

from __future__ import annotations

from reidrisk.charts.at_least import AtLeast, at_least, described
from reidrisk.crowds import CrowdSizes
from reidrisk.measuring.table_risk import TableRisk
from reidrisk.reports.crowd_figures import CrowdFigures, crowd_figures, told_sizes
from reidrisk.reports.discretion import Discretion
from reidrisk.reports.found import Found
from reidrisk.reports.report import Grid, Picture, Section

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
        "Would statistics have told?" if COUNTED in sides else "Does dependence matter?",
        tuple(_sentences(figures, predicted)),
        (Picture(lambda width: at_least(points, width), described(points)),),
        (Grid(("", *sides), rows),),
        {
            f"alone_share_{name.replace(' ', '_')}": told.as_share(each.alone)
            for name, each in figures.items()
        },
        f"E[N_{{s}}] under the model “{predicted.envelope.model}”, fitted to counts of values and "
        "of pairs of values",
        "A prediction knows how often values and pairs of values occur, not which people hold "
        "them; three values that go together in a way their pairs don't show are missed. "
        f"{predicted.why}".strip(),
    )


def _in_crowds(figures: CrowdFigures, k: int) -> str:
    share = figures.share_at_least(k)
    return "–" if share is None else share.text


def _sentences(sides: dict[str, CrowdFigures], predicted: TableRisk) -> list[str]:
    said = {name: each.told.as_share(each.alone) for name, each in sides.items()}
    if COUNTED in sides:
        first = (
            f"From published counts alone, {said[PREDICTED]} of the people would be expected to be "
            f"alone; {said[COUNTED]} are. So the counts tell outsiders about as much of the risk."
            if _near(sides)
            else f"From published counts alone, {said[PREDICTED]} of the people would be expected "
            f"to be alone; {said[COUNTED]} are. Here statistics tell the risk only roughly."
        )
    else:
        first = f"By the model, {said[PREDICTED]} of the people are expected to be alone."
    if INDEPENDENT in said:
        return [
            first,
            f"As if all attributes were independent it would be {said[INDEPENDENT]}: the "
            "difference is what dependence between attributes does.",
        ]
    return [first]


def _near(sides: dict[str, CrowdFigures]) -> bool:
    """Within a tenth of the people alone, or one in a hundred of all people."""
    predicted, counted = sides[PREDICTED].alone.drawn, sides[COUNTED].alone.drawn
    return abs(predicted - counted) <= max(0.1 * counted, 0.01)
