"""Predicted against counted: what statistics alone would have said, beside what is so."""

from __future__ import annotations

from collections.abc import Callable

from reidrisk.charts.at_least import AtLeast, at_least, described
from reidrisk.crowds import CrowdSizes
from reidrisk.measuring.table_risk import TableRisk
from reidrisk.reports.discretion import Discretion
from reidrisk.reports.found import Found
from reidrisk.reports.report import Grid, Picture, Section

Read = Callable[[CrowdSizes], float]
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
    ks = found.risk.at_crowds
    points = [
        AtLeast(k, part.drawn, part.text, name)
        for name, crowds in sides.items()
        for k, part in ((k, told.share(crowds.share_in_crowds_of_at_least(k))) for k in ks)
    ]
    measures: dict[str, Read] = {
        "alone": lambda crowds: crowds.alone_share,
        "overall risk": lambda crowds: crowds.overall_risk,
    } | {f"in crowds of at least {k}": _at_least(k) for k in ks}
    rows = tuple(
        (name, *(told.share(min(read(crowds), 1.0)).text for crowds in sides.values()))
        for name, read in measures.items()
    )
    return Section(
        "prediction",
        "Would statistics have told?" if COUNTED in sides else "Does dependence matter?",
        tuple(_sentences(sides, told, predicted)),
        (Picture(lambda width: at_least(points, width), described(points)),),
        (Grid(("", *sides), rows),),
        {
            f"alone_share_{name.replace(' ', '_')}": told.share(crowds.alone_share)
            for name, crowds in sides.items()
        },
        f"E[N_{{s}}] under the model “{predicted.envelope.model}”, fitted to counts of values and "
        "of pairs of values",
        "A prediction knows how often values and pairs of values occur, not which people hold "
        "them; three values that go together in a way their pairs don't show are missed. "
        f"{predicted.why}".strip(),
    )


def _at_least(k: int) -> Read:
    return lambda crowds: crowds.share_in_crowds_of_at_least(k)


def _sentences(sides: dict[str, CrowdSizes], told: Discretion, predicted: TableRisk) -> list[str]:
    said = {name: told.share(crowds.alone_share) for name, crowds in sides.items()}
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


def _near(sides: dict[str, CrowdSizes]) -> bool:
    """Within a tenth of the people alone, or one in a hundred of all people."""
    off = abs(sides[PREDICTED].alone_share - sides[COUNTED].alone_share)
    return off <= max(0.1 * sides[COUNTED].alone_share, 0.01)
