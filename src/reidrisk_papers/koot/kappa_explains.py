"""Figures 1 and 2: how much of log P(all different) the published number κ explains."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from reidrisk.reports import Grid, Picture
from reidrisk_papers.expected import paper
from reidrisk_papers.figure import Ours, Rerun
from reidrisk_papers.koot.kappa_line import Line, fitted, kappas, log_exact, log_simulated, over
from reidrisk_papers.koot.towns import FEWEST, Towns, large, towns
from reidrisk_papers.pictures import Cloud, points
from reidrisk_papers.setting import Setting

# (size, towns simulated in a full run, in a quick one): larger groups take far longer.
AGE_SIZES = ((29, None, 14), (34, 100, 0), (39, 24, 0))
BOTH_SIZES = (41, 49, 57)
FEWER = (
    "The towns differ from the paper's, and so does their spread of κ, which R² depends on. The "
    "exact probabilities show what κ explains by itself; the simulated ones add their own scatter "
    "(5 % in each), which weighs the more the less κ varies. A quick run simulates a few towns."
)


def figure_1(setting: Setting) -> Rerun:
    """κ against log p, by simulation and exactly."""
    held = towns(setting)
    ours: dict[str, Ours] = {}
    rows, clouds, lines, notes = [], [], [], []
    for number, (size, full, quick) in enumerate(AGE_SIZES):
        setting.progress("koot: groups simulated", number, len(AGE_SIZES))
        exact = large(held.group(["age"], size))
        line = fitted(kappas(exact), log_exact(exact))
        many = quick and setting.scaled(quick, 6) if setting.quick else full
        names = [each.group for each in exact]
        simulated = _simulated(held, names, size, many, setting) if many != 0 else []
        drawn = fitted(kappas(simulated), log_simulated(simulated)) if simulated else None
        value = None if drawn is None else drawn.r_squared
        first = size == AGE_SIZES[0][0]
        why = FEWER if first else "As for k = 29." if drawn else "Not simulated in a quick run."
        ours[f"r_squared_{size}"] = Ours(value, line.r_squared, why)
        rows.append(_row(size, exact, line, len(simulated), drawn))
        if first:
            clouds, lines = _clouds(exact, simulated), line.ends(kappas(exact))
            ours |= _levels(exact)
            notes = [_scatter_needed(exact, line), *_left_out(held)]
    return Rerun(ours, held.data, [_scatter(clouds, lines, 29)], [_table(rows)], notes)


def _scatter_needed(exact: Sequence[Any], line: Line) -> str:
    """An estimate from u unique groups scatters by 1/√u: R² = V·R²(exact)/(V + 1/u)."""
    reported = paper("koot").reported["figure_1"].expected["r_squared_29"]
    middle = (reported.low + reported.high) / 2
    needed = 1.0 / (log_exact(exact).var() * (line.r_squared / middle - 1.0))
    return (
        f"On these towns an R² of {middle:.2f} would come about if each estimate rested on about "
        f"{needed:.0f} unique groups instead of 400: scatter of the simulation alone could explain "
        "the paper's value. Whether it does can't be told without its towns."
    )


def _simulated(
    held: Towns, names: Sequence[str], size: int, many: int | None, setting: Setting
) -> list[Any]:
    """All these towns, or some at random, drawn until the half-width is a tenth of the estimate."""
    some = list(names)
    if many is not None and many < len(some):
        some = setting.rng(2, size).choice(some, many, replace=False).tolist()
    return held.part(some).group(["age"], size, simulate=0.1, seed=setting.seed)


def _levels(exact: Sequence[Any]) -> dict[str, Ours]:
    truth = np.exp(log_exact(exact))
    uniform = over(np.array([each.uniform for each in exact]), truth)
    form = over(np.array([each.kullback_leibler for each in exact]), truth)
    less = "These towns' ages are more even than Dutch ones of 2011: a smaller κ, a smaller excess."
    why = "" if 2.0 <= uniform <= 4.0 else less if uniform < 2.0 else "These towns are less even."
    return {
        "uniform": Ours(exact[0].uniform),
        "overestimated": Ours(uniform, 1.0, why),
        "form": Ours(form, 1.0, "The exact probability costs as little as the form."),
    }


def _row(size: int, exact: Sequence[Any], line: Line, many: int, drawn: Line | None) -> list[str]:
    n = exact[0].outcomes
    return [
        str(size), f"{exact[0].uniform:.3g}", f"{len(exact):,}", f"{line.r_squared:.3f}",
        f"{line.slope:.2f}", f"{-size * size / n:.2f}", f"{many:,}",
        "–" if drawn is None else f"{drawn.r_squared:.3f}",
    ]  # fmt: skip


def _table(rows: Sequence[Sequence[str]]) -> Grid:
    heads = (
        "k", "π_u", "towns", "R², exact", "slope", "−k²/N", "towns simulated", "R², simulated",
    )  # fmt: skip
    return Grid(heads, tuple(tuple(row) for row in rows), left=())


def _clouds(exact: Sequence[Any], simulated: Sequence[Any]) -> list[Cloud]:
    by_name = (("simulated", simulated, log_simulated), ("exact", exact, log_exact))
    return [
        Cloud(name, list(zip(kappas(groups).tolist(), logs(groups).tolist(), strict=True)))
        for name, groups, logs in by_name
        if groups
    ]


def _scatter(clouds: Sequence[Cloud], line: Sequence[tuple[float, float]], size: int) -> Picture:
    caption = f"Each point a town; k = {size}. The dashed line is fitted to the exact ones."
    return Picture(
        lambda width: points(clouds, "κ", "log P(all different)", width, line=line),
        f"The logarithm of the probability falls along a line as κ rises, {size} people.",
        caption,
    )


def _left_out(held: Towns) -> list[str]:
    small = [each for each in held.group(["age"], 29) if each.people < FEWEST]
    if not small:
        return []
    told = ", ".join(f"{each.people} people, κ = {each.kappa:.3f}" for each in small[:3])
    return [f"Left out of the lines, {len(small)} with fewer than {FEWEST} people: {told}."]


def figure_2(setting: Setting) -> Rerun:
    """Age and sex."""
    held = towns(setting)
    ours, rows, pictures = {}, [], []
    for size in BOTH_SIZES:
        exact = large(held.group(["age", "sex"], size))
        line = fitted(kappas(exact), log_exact(exact))
        ours[f"r_squared_{size}"] = Ours(None, line.r_squared)
        rows.append(_row(size, exact, line, 0, None))
        if size == BOTH_SIZES[0]:
            ours["uniform"] = Ours(exact[0].uniform)
            pictures = [_scatter(_clouds(exact, []), line.ends(kappas(exact)), size)]
    return Rerun(ours, held.data, pictures, [_table(rows)])
