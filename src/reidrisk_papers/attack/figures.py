"""Figure 1 and algorithms 4 to 7 of the attack simulation, rerun."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from itertools import combinations
from typing import Any

import reidrisk as rr
from reidrisk.reports import Grid, Picture
from reidrisk_papers.attack.anonymised import KS, Anonymised, anonymised, to_generalise
from reidrisk_papers.figure import Ours, Rerun
from reidrisk_papers.pictures import Curve, curves
from reidrisk_papers.setting import Setting

CROWD = 5
RATIO, TOGETHER = 2.0, 2
SMALL_RISK = 0.015
PLAYED = 10_000


def figure_1(setting: Setting) -> Rerun:
    """The distribution of Pr(re-id), counted and played."""
    held = anonymised(setting)
    plays = setting.scaled(PLAYED, 500) if setting.quick else PLAYED
    found: dict[int, Any] = {k: rr.attack(held.read(k), play=plays, seed=setting.seed) for k in KS}
    ten = found[10]
    ours = {f"highest_{k}": Ours(each.highest_risk, None, _beyond(k, each)) for k, each in
            found.items()}  # fmt: skip
    ours["below_10"] = Ours(1.0 - float(_share_beyond(ten, SMALL_RISK)))
    ours["overall_10"] = Ours(
        ten.overall_risk, ten.played.hit_rate, "Improved here means played: attacks carried out."
    )
    rows = [_row(k, each) for k, each in found.items()]
    heads = ("k", "people", "crowds", "highest", "on average", "played", "interval of the played")
    return Rerun(ours, held.data, [_distribution(found)], [Grid(heads, tuple(rows), left=())])


def _beyond(k: int, found: Any) -> str:
    if found.highest_risk < 1 / k - 1e-9:
        return f"The smallest crowd is larger than {k}: levels climb in steps."
    return ""


def _share_beyond(found: Any, risk: float) -> float:
    """The share of people picked out with more than `risk`."""
    return 1.0 - max((share for each, share in found.cdf if each <= risk), default=0.0)


def _row(k: int, found: Any) -> tuple[str, ...]:
    played = found.played
    low, high = played.interval
    return (
        str(k), f"{found.people:,}", f"{found.expected_reidentifications:,.0f}",
        f"{found.highest_risk:.4f}", f"{found.overall_risk:.4f}", f"{played.hit_rate:.4f}",
        f"{low:.4f} to {high:.4f}",
    )  # fmt: skip


def _distribution(found: Mapping[int, Any]) -> Picture:
    parts = [
        Curve(f"k = {k}", [(0.0, 0.0), *((float(x), float(y)) for x, y in each.cdf)])
        for k, each in found.items()
    ]
    return Picture(
        lambda width: curves(
            parts, "probability of being picked out", "people at or below it", width,
            share_y=True, step=True,
        ),
        "Cumulative distribution of the probability of being picked out; it reaches all people at "
        "one in k.",
        "The attacker knows all the columns. Each curve ends at 1/k.",
    )  # fmt: skip


def algorithm_4(setting: Setting) -> Rerun:
    """Knowledge beyond the allowable risk: every combination counted, and the border search."""
    held = anonymised(setting)
    every = [each for each in _combinations(held.columns) if _crowd(held, each) <= CROWD]
    answer: Any = rr.search(held.read(3), allowable_risk=_just_below(CROWD), measure="highest_risk")
    minimal = [tuple(each.columns) for each in answer.minimal_risky]
    searched = answer.to_dict()["searched"]
    contained = sum(any(set(few) <= set(each) for few in minimal) for each in every)
    ours = {
        "risky": Ours(len(every), contained),
        "minimal": Ours(len(_smallest(every)), len(minimal)),
        "counted": Ours(2 ** len(held.columns) - 1, searched["counted"]),
    }
    rows = tuple((", ".join(each), str(_crowd(held, each))) for each in minimal)
    notes = [f"N = {CROWD}; the table of k = 3."]
    return Rerun(ours, held.data, grids=[Grid(("knowing", "smallest crowd"), rows)], notes=notes)


def _just_below(crowd: int) -> float:
    """A risk that a crowd of `crowd` is beyond and one of a person more is not."""
    return 0.5 * (1.0 / crowd + 1.0 / (crowd + 1))


def _combinations(columns: Sequence[str]) -> list[tuple[str, ...]]:
    return [each for size in range(1, len(columns) + 1) for each in combinations(columns, size)]


def _crowd(held: Anonymised, columns: Sequence[str]) -> int:
    return int(rr.measure(held.read(3, columns), dependence=False).smallest_crowd)


def _smallest(every: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    sets = [set(each) for each in every]
    return [each for each in every if not any(other < set(each) for other in sets)]


def algorithm_5(setting: Setting) -> Rerun:
    """Pairs that tell more than the better of their parts."""
    held = anonymised(setting)
    answer: Any = rr.search(held.read(3), ratio=RATIO, attributes=TOGETHER)
    listed = answer.to_dict()["combinations"]
    most = max((each["mean"] for each in listed), default=1.0)
    rows = tuple(
        (", ".join(each["columns"]), f"{each['mean']:.2f}", f"{each['median']:.2f}",
         f"{each['largest']:.0f}", f"{each['share_above']:.1%}")
        for each in listed
    )  # fmt: skip
    heads = ("together", "mean z", "median", "largest", f"people above {RATIO:g}")
    ours = {"listed": Ours(len(listed)), "mean_z": Ours(most)}
    return Rerun(ours, held.data, grids=[Grid(heads, rows)])


def algorithm_6(setting: Setting) -> Rerun:
    """What a budget buys."""
    held = anonymised(setting)
    costs = _costs(held.costs)
    budget = costs.pop("budget")
    affordable = [
        each for each in _combinations(held.columns) if sum(costs[name] for name in each) <= budget
    ]
    risk = {each: rr.measure(held.read(3, each), dependence=False).overall_risk
            for each in affordable}  # fmt: skip
    answer: Any = rr.search(held.read(3), costs=costs, budget=budget)
    found = answer.to_dict()
    frontier = found["frontier"]
    ours = {
        "affordable": Ours(len(affordable), found["affordable"]),
        "best": Ours(max(risk.values()), max(each["overall_risk"] for each in frontier)),
        "counted": Ours(len(affordable), found["searched"]["counted"]),
    }
    rows = tuple(
        (f"{each['cost']:g}", ", ".join(each["columns"]), f"{each['overall_risk']:.4f}")
        for each in frontier
    )
    told = ", ".join(f"{name} {cost:g}" for name, cost in costs.items())
    notes = [f"Costs: {told}; budget {budget:g}."]
    grid = Grid(("cost", "knowing", "overall risk"), rows, left=(1,))
    return Rerun(ours, held.data, [_money(frontier)], [grid], notes)


def _costs(named: str) -> dict[str, float]:
    place = files("reidrisk_papers.attack") / "costs.toml"
    held: dict[str, float] = tomllib.loads(place.read_text(encoding="utf-8"))[named]
    return dict(held)


def _money(frontier: Sequence[Mapping[str, Any]]) -> Picture:
    line = [(float(each["cost"]), float(each["overall_risk"])) for each in frontier]
    return Picture(
        lambda width: curves(
            [Curve("best knowledge for the money", line)], "cost", "overall risk", width, step=True
        ),
        "The overall risk rises with what the attacker spends.",
        "Each step is a combination that no cheaper one matches.",
    )


def algorithm_7(setting: Setting) -> Rerun:
    """The release of least loss."""
    table, how, data = to_generalise(setting)
    found: Any = rr.generalise(table, k=CROWD, frontier=(0.5, 0.2, 0.1, 0.05, 0.02), **how)
    told = found.to_dict()
    ours = {
        "smallest_crowd": Ours(told["after"]["smallest_crowd"]),
        "counted": Ours(told["searched"]["views"], told["searched"]["counted"]),
        "loss": Ours(None, told["loss"]),
    }
    heights = told["heights"]
    rows = tuple((name, f"{level} of {heights[name]}") for name, level in told["levels"].items())
    return Rerun(
        ours, data, [_losses(told["frontier"])], [Grid(("column", "level"), rows)],
        [f"The gap to the least possible loss is {told['gap']:g}."],
    )  # fmt: skip


def _losses(frontier: Sequence[Mapping[str, Any]]) -> Picture:
    found = [(float(each["loss"]), float(each["allowable_risk"])) for each in frontier]
    line = sorted(found, key=lambda each: (each[0], -each[1]))
    return Picture(
        lambda width: curves(
            [Curve("least loss", line)], "loss", "highest risk allowed", width, log_y=False
        ),
        "The less risk is allowed, the more is lost.",
        "Each point the release of least loss that meets the risk.",
    )


RERUNS: dict[str, Callable[[Setting], Rerun]] = {
    "figure_1": figure_1,
    "algorithm_4": algorithm_4,
    "algorithm_5": algorithm_5,
    "algorithm_6": algorithm_6,
    "algorithm_7": algorithm_7,
}
