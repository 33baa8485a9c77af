"""Tables 3, 4 and 5: the mapping of attributes, the subsets, and dependence beside the paper's."""

from __future__ import annotations

from collections.abc import Sequence

from reidrisk.reports import Cell, Grid, Picture, dependence_map
from reidrisk_papers.figure import Ours, Rerun
from reidrisk_papers.r3a.stand_ins import stand_ins
from reidrisk_papers.r3a.targets import Study, study
from reidrisk_papers.setting import Setting

# The paper's three strong pairs, in the stand-ins' names.
STRONG = (("district", "municipality"), ("district", "hospital"), ("hospital", "municipality"))


def tables_3_4(setting: Setting) -> Rerun:
    """What stands in for what, and which subsets hold a strong pair."""
    held, made = study(setting), stand_ins()
    with_one = {number for number, columns in made.subsets.items() if held.strong_in(columns)}
    same = len(made.subsets) - len(with_one ^ made.strong)
    ages = len(held.background.attribute("age").counts)
    ours = {
        "ages": Ours(float(ages)),
        "subsets": Ours(float(len(with_one))),
        "same": Ours(float(same)),
    }
    return Rerun(ours, held.said, grids=[_mapping(held, setting.quick), _subsets(held)])


def _mapping(held: Study, quick: bool) -> Grid:
    rows = tuple(
        (str(each.number), f"{each.name}: {each.description}", _named(each.stand_in) or "–",
         each.quick if quick else each.how,
         f"{len(held.background.attribute(each.stand_in).counts):,}" if each.stand_in else "–",
         f"{held.entropies[each.stand_in]:.2f}" if each.stand_in else "–")
        for each in stand_ins().attributes
    )  # fmt: skip
    heads = ("no.", "in the paper", "here", "which is", "values", "entropy, bits")
    return Grid(heads, rows, (1, 2, 3), "Table 3: the attributes and their stand-ins")


def _subsets(held: Study) -> Grid:
    made = stand_ins()
    rows = tuple(
        (str(number), ", ".join(map(str, made.numbers[number])), ", ".join(map(_named, columns)),
         "yes" if number in made.strong else "",
         "; ".join(f"{_named(of)} on {_named(on)}" for of, on in held.strong_in(columns)))
        for number, columns in made.subsets.items()
    )  # fmt: skip
    heads = ("no.", "attributes", "here", "strong in the paper", "strong here")
    return Grid(heads, rows, (1, 2, 3, 4), "Table 4: the subsets")


def table_5(setting: Setting) -> Rerun:
    """All ordered pairs."""
    held = study(setting)
    keys = ("district_municipality", "district_hospital", "hospital_municipality")
    law = stand_ins().generated
    whys = (
        _follows(),
        _by_chance(held, STRONG[1], law["district_of_hospital"]),
        _by_chance(held, STRONG[2], law["hospital_of_municipality"]),
    )
    ours = {
        key: Ours(held.dependence[pair].uncorrected, held.dependence[pair].corrected, why)
        for key, pair, why in zip(keys, STRONG, whys, strict=True)
    }
    strong = held.strong
    others = [pair for pair in held.dependence if pair not in STRONG]
    largest = max(others, key=lambda pair: held.dependence[pair].uncorrected)
    extra = [pair for pair in strong if pair not in STRONG]
    corrected = sum(each.corrected >= 0.5 for each in held.dependence.values())
    ours["strong"] = Ours(float(len(strong)), float(corrected), _more(held, extra))
    ours["others"] = Ours(
        held.dependence[largest].uncorrected,
        max(held.dependence[pair].corrected for pair in others),
        f"It is g({_named(largest[0])}, {_named(largest[1])}) here and g(ZIP code, hospital) there"
        + ("; municipalities hold fewer bits than ZIP codes, as above." if extra else "."),
    )
    return Rerun(ours, held.said, _pictures(held), [_matrix(held)])


def _follows() -> str:
    return (
        "A district follows from its municipality; a ZIP code leaves a little of its county open."
    )


def _by_chance(held: Study, pair: tuple[str, str], law: float) -> str:
    """What few people for many cells add to a gain ratio."""
    found = held.dependence[pair]
    cells = 1
    for name in pair:
        cells *= len(held.background.attribute(name).counts)
    return (
        f"Hospitals are drawn by a law with {law}; {cells:,} cells for "
        f"{held.background.records:,} people let chance show up to "
        f"{found.by_chance:.3f} more."
    )


def _more(held: Study, extra: Sequence[tuple[str, str]]) -> str:
    """Fewer municipalities than ZIP codes: the same shared bits are more of them."""
    if not extra:
        return ""
    paper = stand_ins().gain_ratios
    bits, ratio = held.entropies, paper["municipality", "district"] / paper[STRONG[0]]
    here = bits["district"] / bits["municipality"]
    listed = " and ".join(
        f"g({_named(of)}, {_named(on)}) = {held.dependence[of, on].uncorrected:.3f}"
        for of, on in extra
    )
    return (
        f"Besides the paper's three: {listed}. ZIP codes hold more bits than municipalities do: "
        f"H(county)/H(ZIP code) follows from table 5 as {ratio:.2f}, and is {here:.2f} for "
        "district and municipality, so that the same shared bits are a greater part of the "
        "municipality's."
    )


def _pictures(held: Study) -> list[Picture]:
    made = stand_ins()
    theirs = {each.stand_in: each.name for each in made.used}
    ours = [
        Cell(_named(of), _named(on), each.uncorrected) for (of, on), each in held.dependence.items()
    ]
    paper = [
        Cell(theirs[of], theirs[on], ratio)
        for (of, on), ratio in made.gain_ratios.items()
        if of != on
    ]
    here = [_named(each) for each in made.columns]
    there = [each.name for each in made.used]
    return [
        Picture(lambda width: dependence_map(paper, there, width),
                "The paper's table 5 as a map.", "The paper's: rows depend on columns."),
        Picture(lambda width: dependence_map(ours, here, width),
                "The same of the stand-in.", "The stand-in's, in the same order."),
    ]  # fmt: skip


def _matrix(held: Study) -> Grid:
    made = stand_ins()

    def cell(of: str, on: str) -> str:
        if of == on:
            return "1"
        return f"{made.gain_ratios[of, on]:.3f} | {held.dependence[of, on].uncorrected:.3f}"

    rows = tuple((_named(of), *(cell(of, on) for on in made.columns)) for of in made.columns)
    heads = ("depends on →", *map(_named, made.columns))
    return Grid(heads, rows, (0,), "Gain ratios g(row, column): the paper's | ours")


def _named(column: str) -> str:
    return column.replace("_", " ")
