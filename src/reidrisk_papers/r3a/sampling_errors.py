"""Figures 2 and 3: how far random and semi-random sampling miss the ORR of the forty targets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from reidrisk.reports import Grid, Picture
from reidrisk_papers.figure import Ours, Rerun
from reidrisk_papers.pictures import Cloud, points
from reidrisk_papers.r3a.predictions import (
    Known,
    Random,
    Target,
    by_random_sampling,
    by_semi_random_sampling,
    error_knowing,
)
from reidrisk_papers.r3a.stand_ins import stand_ins
from reidrisk_papers.r3a.targets import study
from reidrisk_papers.setting import Setting

# The paper's borders, where reasons are looked for beyond them.
FAR, NEAR, KNOWN = 0.2, 0.05, 0.09
# Where SPD is from.
COUNTIES = 58

Predicted = Random | Known


def figure_2(setting: Setting) -> Rerun:
    """Random sampling."""
    found = by_random_sampling(setting)
    ours = {}
    for size, people in zip(("small", "large"), study(setting).sizes, strict=True):
        some = [each for each in found if each.target.people == people]
        strong = [each for each in some if each.target.strong]
        others = [each for each in some if not each.target.strong]
        why = _too_near([each for each in strong if abs(each.error) <= FAR])
        ours[f"strong_{size}"] = _ours(strong, why)
        too_far = [each for each in others if abs(each.error) >= NEAR]
        ours[f"others_{size}"] = _ours(others, _weak_pairs(setting, too_far, strong_too=False))
    return Rerun(ours, study(setting).said, [_picture_2(found)], [_grid_2(found)], [_above(found)])


def figure_3(setting: Setting) -> Rerun:
    """Semi-random sampling."""
    found = by_semi_random_sampling(setting)
    ours = {}
    for size, people in zip(("small", "large"), study(setting).sizes, strict=True):
        some = [each for each in found if each.target.people == people]
        strong = [each for each in some if each.target.strong]
        for name, part in (("strong", strong), ("all", some)):
            too_far = [each for each in part if abs(each.error) >= KNOWN]
            ours[f"{name}_{size}"] = _ours(part, _weak_pairs(setting, too_far, strong_too=True))
    for name in ("all_small", "all_large"):
        held = ours[name]
        ours[name] = Ours(_largest(held.published), _largest(held.improved), held.why)
    missed = max(each.missed for each in found)
    note = (
        f"Frequent tuples: {max(each.frequent for each in found):,} at most in a subset; in a "
        f"shuffled table they miss their confidences by {missed:.0f} people at most. Situation 1 "
        "of the paper, values that a target doesn't have, needs nothing; in situation 2 the "
        "confidence is the smaller of the background's and supp(a)/supp(b)."
    )
    return Rerun(ours, study(setting).said, [_picture_3(found)], [_grid_3(found)], [note])


def _ours(found: Sequence[Predicted], why: str) -> Ours:
    """Errors from the smallest to the largest, either way."""
    published = [abs(each.error) for each in found]
    improved = [abs(each.improved) for each in found]
    return Ours((min(published), max(published)), (min(improved), max(improved)), why)


def _largest(value: object) -> float:
    assert isinstance(value, tuple)
    return float(max(value))


def _too_near(found: Sequence[Predicted]) -> str:
    """Why sets with a strong pair err by less than 0.2.

    An ORR is at most 1, and at most possible tuples/people: that less the target's own is all that
    a shuffled table can err by.
    """
    told = []
    for each in found:
        target = each.target
        room = min(1.0, target.tuples / target.people) - target.risk
        said = f"set {target.subset} errs by {abs(each.error):.3f}: "
        if room < FAR:
            said += f"above its own {target.risk:.3f} there is room for {room:.3f}"
        else:
            crowd = 1 / max(target.risk + each.error, 1e-9)
            said += (
                f"{target.people:,} people for {target.tuples:,} possible tuples make crowds of "
                f"{crowd:.1f} on average even when shuffled"
            )
        told.append(said)
    limit = "An ORR is at most 1, and at most possible tuples/people. "
    return limit + _sentences(told) + _not_so_many(found) if told else ""


def _not_so_many(found: Sequence[Predicted]) -> str:
    """What the paper's set 6 says of how many people its figure is about."""
    people = max(each.target.people for each in found)
    if people < 100_000 or not any(each.target.subset == 6 for each in found):
        return ""
    pairs = FAR * people
    return (
        f" The paper's own figure can't be of {people:,} people: set 6 would need {pairs:,.0f} "
        f"pairs of hospital and county, {pairs / COUNTIES:,.0f} hospitals in California's "
        f"{COUNTIES} counties."
    )


def _weak_pairs(setting: Setting, found: Sequence[Predicted], *, strong_too: bool) -> str:
    """Why sets err by more than they should: the strongest pair that doesn't count as strong."""
    held, told = study(setting), dict[tuple[str, str], list[str]]()
    for each in found:
        target = each.target
        pair = held.strongest_weak_in(target.columns)
        strong = held.strong_in(target.columns) if strong_too else []
        known = frozenset(map(frozenset, [*strong, pair]))
        left = abs(error_knowing(setting, target.key, known))
        told.setdefault(pair, []).append(
            f"of set {target.subset} from {abs(each.error):.3f} to {left:.3f}"
        )
    theirs = {each.stand_in: each.name for each in stand_ins().used}
    return " ".join(
        f"{_named(of).capitalize()} depends on {_named(on)} (g = "
        f"{held.dependence[of, on].uncorrected:.2f}, weak, so left out; the paper's {theirs[of]} "
        f"on {theirs[on]}: {stand_ins().gain_ratios[of, on]:.3f}). Knowing that pair table takes "
        f"the error {', '.join(sets)}."
        for (of, on), sets in told.items()
    )


def _named(column: str) -> str:
    return column.replace("_", " ")


def _sentences(told: Sequence[str]) -> str:
    return " ".join(f"{each[0].upper()}{each[1:]}." for each in told)


def _above(found: Sequence[Random]) -> str:
    """Which way the errors go."""
    below = [each for each in found if each.improved < 0]
    told = ", ".join(f"{each.target.subset} of {each.target.people:,} people ({each.improved:+.2g})"
                     for each in below)  # fmt: skip
    many = f"{len(found) - len(below)} of {len(found)} predictions are above what was counted"
    return f"{many}: dependence usually lowers the ORR" + (
        f", though not always: below it are {told}." if told else "."
    )


def _clouds(
    found: Sequence[Predicted],
    shuffled: Mapping[tuple[int, int], float],
    split: Callable[[Target], str],
    error: Callable[[Predicted], float],
) -> list[Cloud]:
    """One cloud a name, each point at the ORR of random sampling."""
    parts: dict[str, list[tuple[float, float]]] = {}
    for each in found:
        point = shuffled[each.target.key], abs(error(each))
        parts.setdefault(split(each.target), []).append(point)
    return [Cloud(name, held) for name, held in parts.items()]


def _picture_2(found: Sequence[Random]) -> Picture:
    def split(target: Target) -> str:
        return f"{'strong pair' if target.strong else 'no such pair'}, {target.people:,}"

    shuffled = {each.target.key: each.shuffled for each in found}
    clouds = _clouds(found, shuffled, split, lambda each: each.error)
    return _drawn(
        clouds, FAR,
        "Errors of random sampling, for sets with and without a strongly dependent pair.",
        "Each point is one subset, of so many people. The dashed line is at 0.2: in the paper all "
        "sets with a strong pair lie above it, and all others below 0.05.",
    )  # fmt: skip


def _picture_3(found: Sequence[Known]) -> Picture:
    shuffled = {each.target.key: each.random for each in found}

    def semi_random(target: Target) -> str:
        return f"semi-random, {target.people:,}"

    def by_law(target: Target) -> str:
        return f"law, {target.people:,}"

    clouds = [
        *_clouds(found, shuffled, semi_random, lambda each: each.error),
        *_clouds(found, shuffled, by_law, lambda each: each.improved),
    ]
    return _drawn(
        clouds, KNOWN,
        "Errors of semi-random sampling, and of the tree or the pairwise law.",
        "Each point is one subset, of so many people. The dashed line is the paper's 0.09; the "
        "tree and the pairwise law, which know the pair tables, lie along the axis.",
    )  # fmt: skip


def _drawn(clouds: Sequence[Cloud], border: float, told: str, caption: str) -> Picture:
    def draw(width: int) -> object:
        return points(clouds, "ORR by random sampling",
                      "absolute error of ORR", width, line=[(0.0, border), (1.0, border)],
                      size=46)  # fmt: skip

    return Picture(draw, told, caption)


def _grid_2(found: Sequence[Random]) -> Grid:
    rows = tuple(
        (f"{each.target.subset}: {', '.join(map(_named, each.target.columns))}",
         f"{each.target.people:,}", "yes" if each.target.strong else "", f"{each.target.risk:.4f}",
         f"{each.shuffled:.4f}", f"{each.error:+.4f}", f"{each.improved:+.4f}")
        for each in found
    )  # fmt: skip
    heads = ("subset", "people", "strong pair", "ORR counted", "random sampling", "error",
             "error of the closed form")  # fmt: skip
    return Grid(heads, rows)


def _grid_3(found: Sequence[Known]) -> Grid:
    rows = tuple(
        (f"{each.target.subset}: {', '.join(map(_named, each.target.columns))}",
         f"{each.target.people:,}", f"{each.target.risk:.4f}", f"{each.frequent:,}",
         f"{each.shuffled:.4f}", f"{each.error:+.4f}", each.model, f"{each.improved:+.4f}")
        for each in found
    )  # fmt: skip
    heads = ("subset", "people", "ORR counted", "frequent tuples", "semi-random sampling", "error",
             "improved by", "error of that")  # fmt: skip
    return Grid(heads, rows)
