"""Groups drawn from Belgium's 589 municipalities: Koot et al.'s experiments, with the exact answer.

The paper's are on 428 Dutch municipalities, with simulated probabilities. Ages 0 to 94 (N = 95), or
ages and sex (N = 190); people above 94 are left out, as in the paper.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import reidrisk as rr
from reidrisk.laws import published_forms
from reidrisk.laws.group_law import GroupLaw
from reidrisk.laws.simulated_groups import simulated
from reidrisk.models.knowledge import Knowledge
from reidrisk.models.tree_space import independent_space, tree_space

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]

FILE = Path("belgium_2015") / "belgium_2015.parquet"
COLUMNS = ("municipality", "age", "sex", "civil_status", "nationality")
AGES = 95
PAPERS = {29: "0.72", 34: "0.79", 39: "0.82"}
SIZES = {"age": (29, 34, 39), "age × sex": (41, 49, 57)}
AXES = {"age": (1, 2, 3), "age × sex": (2, 3)}
SMALLEST = 86
CURVE = (5, 10, 15, 20, 25, 29, 34, 39)


@dataclass(frozen=True, eq=False)
class Municipality:
    """People by age, sex, civil status and nationality."""

    name: str
    cells: Counts

    @property
    def people(self) -> int:
        """Those of the ages looked at."""
        return int(self.cells.sum())

    def over(self, axes: tuple[int, ...]) -> GroupLaw:
        """The law of what is left when some attributes aren't asked; empty tuples stay listed."""
        return GroupLaw.of_counts(self.cells.sum(axis=axes).ravel())


def municipalities(path: Path) -> list[Municipality]:
    """All of them."""
    table = rr.read(path, columns=list(COLUMNS), count="count")
    held, people = table.engine.coded_tuples(COLUMNS).each_once()
    texts = [values.to_pylist() for values in held.values]
    age = np.array([int(text) for text in texts[1]])[held.codes[1]]
    shape = (len(texts[0]), AGES, *(len(each) for each in texts[2:]))
    cells = np.zeros(shape, dtype=np.int64)
    kept = age < AGES
    np.add.at(
        cells,
        (held.codes[0][kept], age[kept], *(codes[kept] for codes in held.codes[2:])),
        people[kept],
    )
    return [Municipality(name, cells[place]) for place, name in enumerate(texts[0])]


class Line(NamedTuple):
    """Least squares of log p on κ."""

    slope: float
    r_squared: float


def fitted(kappa: Floats, log_p: Floats) -> Line:
    """The line, and how much of the variance it explains."""
    slope, start = np.polyfit(kappa, log_p, 1)
    left = log_p - (start + slope * kappa)
    return Line(float(slope), float(1.0 - left.var() / log_p.var()))


def lines(data: Path, simulations: int, seed: int) -> Iterator[str]:
    """The report, line by line."""
    path = data / FILE
    if not path.exists():
        yield f"Belgium: not run, there is no {FILE} in {data}"
        return
    held = municipalities(path)
    for part in (
        _kappa_explains(held),
        _simulated(held, simulations, seed),
        _against_size(held, seed),
        _aggregated(held),
        _marginals_only(held),
        _open_question(held),
    ):
        yield from part
        yield ""


def _kappa_explains(held: Sequence[Municipality]) -> Iterator[str]:
    yield (
        "| revealed | k | π_u | R² | without the smallest | the paper's | slope | without the "
        "smallest | −k²/N | π_u/exact, median | π_u·e^(−κk²/N)/exact, median, 5–95 % |"
    )
    yield "|---" * 11 + "|"
    for what, sizes in SIZES.items():
        laws = [each.over(AXES[what]) for each in held]
        kappa = np.array([law.kappa for law in laws])
        large = np.array([each.people != SMALLEST for each in held])
        for k in sizes:
            n = laws[0].outcomes
            log_p = np.array([law.log_exact(k) for law in laws])
            every, most = fitted(kappa, log_p), fitted(kappa[large], log_p[large])
            uniform = published_forms.log_uniform(k, n)
            form = np.exp(uniform - kappa * k * k / n - log_p)
            low, middle, high = np.quantile(form, (0.05, 0.5, 0.95))
            yield (
                f"| {what} | {k} | {np.exp(uniform):.3g} | {every.r_squared:.3f} "
                f"| {most.r_squared:.3f} | {PAPERS.get(k, '–')} | {every.slope:.2f} "
                f"| {most.slope:.2f} | {-k * k / n:.2f} "
                f"| {np.median(np.exp(uniform - log_p)):.2f} "
                f"| {middle:.2f}, {low:.2f}–{high:.2f} |"
            )


def _simulated(held: Sequence[Municipality], simulations: int, seed: int) -> Iterator[str]:
    laws = sorted((each.over(AXES["age"]) for each in held), key=lambda law: law.kappa)
    places = np.unique(np.linspace(0, len(laws) - 2, simulations).round().astype(int))
    rng = np.random.default_rng(seed)
    within, off, drawn = 0, [], 0
    log_p, kappa = [], []
    for place in places:
        law = laws[place]
        found = simulated(law.space, 29, rng)
        low, high = found.interval
        within += low <= law.exact(29) <= high
        off.append(found.estimate / law.exact(29) - 1.0)
        drawn += found.groups
        log_p.append(np.log(found.estimate))
        kappa.append(law.kappa)
    line = fitted(np.array(kappa), np.array(log_p))
    yield (
        f"Simulation, age, k = 29, r = 0.1 at 95 %: of {len(places)} municipalities spread over κ "
        f"the exact probability lies within the stated half-width in {within}; estimate/exact − 1 "
        f"is {np.mean(off):+.3f} on average, {np.std(off):.3f} its standard deviation; {drawn:,} "
        f"groups drawn. R² of the simulated log p against κ: {line.r_squared:.3f}."
    )


def _against_size(held: Sequence[Municipality], seed: int) -> Iterator[str]:
    by_kappa = sorted(held, key=lambda each: each.over(AXES["age"]).kappa)
    large = [each for each in by_kappa if each.people != SMALLEST]
    rng = np.random.default_rng(seed)
    chosen = (("lowest", by_kappa[0]), ("highest but one", large[-1]), ("highest", by_kappa[-1]))
    yield (
        "| κ | people | k | exact | different people | π_u·e^(−κk²/N) | e^(−(½+κ)k²/N) "
        "| simulated | uniform |"
    )
    yield "|---" * 9 + "|"
    for name, each in chosen:
        law = each.over(AXES["age"])
        n = law.outcomes
        for k in CURVE:
            drawn = simulated(law.space, k, rng, most=400_000)
            finite = law.exact_finite(k)
            told = f"{drawn.estimate:.3g} ± {drawn.half_width:.0%}" if drawn.unique else "none"
            yield (
                f"| {law.kappa:.4f}, {name} | {each.people:,} | {k} | {law.exact(k):.4g} "
                f"| {'–' if finite is None else f'{finite:.4g}'} "
                f"| {published_forms.kullback_leibler(k, n, law.kappa):.4g} "
                f"| {published_forms.kullback_leibler_exponential(k, n, law.kappa):.4g} "
                f"| {told} | {published_forms.uniform(k, n):.4g} |"
            )


def _aggregated(held: Sequence[Municipality]) -> Iterator[str]:
    """Figure 4: κ of age in bands, of the paper's 95 ages and of 90, which all widths divide."""
    yield "| ages | in bands of | N | κ: least | median | most | falls in | exact, k = 8 |"
    yield "|---" * 8 + "|"
    for ages in (AGES, 90):
        single = np.array([law.kappa for law in _in_bands(held, ages, 1)])
        for width in (1, 2, 5, 10):
            laws = _in_bands(held, ages, width)
            kappa = np.array([law.kappa for law in laws])
            yield (
                f"| 0–{ages - 1} | {width} | {laws[0].outcomes} | {kappa.min():.4f} "
                f"| {np.median(kappa):.4f} | {kappa.max():.4f} | {np.mean(kappa < single):.0%} "
                f"| {np.median([law.exact(8) for law in laws]):.4g} |"
            )


def _in_bands(held: Sequence[Municipality], ages: int, width: int) -> list[GroupLaw]:
    band = np.arange(ages) // width
    laws = []
    for each in held:
        counts = np.zeros(band[-1] + 1, dtype=np.int64)
        np.add.at(counts, band, each.cells.sum(axis=AXES["age"])[:ages])
        laws.append(GroupLaw.of_counts(counts))
    return laws


def _marginals_only(held: Sequence[Municipality]) -> Iterator[str]:
    """Age × sex from 97 numbers instead of 190."""
    yield "| from marginals only | k | marginals/joint, median | 5–95 % | furthest |"
    yield "|---|---|---|---|---|"
    ways = (("age × sex", (2, 3), SIZES["age × sex"]), ("age × civil status", (1, 3), (41, 57)))
    for what, axes, sizes in ways:
        pairs = [each.cells.sum(axis=axes) for each in held if each.people != SMALLEST]
        joint = [GroupLaw.of_counts(cells.ravel()) for cells in pairs]
        alone = [GroupLaw(independent_space(_known([cells])), cells.size) for cells in pairs]
        for k in sizes:
            ratio = [
                np.exp(a.log_exact(k) - b.log_exact(k)) for a, b in zip(alone, joint, strict=True)
            ]
            low, middle, high = np.quantile(ratio, (0.05, 0.5, 0.95))
            far = max(ratio, key=lambda each: abs(np.log(each)))
            yield f"| {what} | {k} | {middle:.4f} | {low:.4f}–{high:.4f} | {far:.3f} |"


def _open_question(held: Sequence[Municipality]) -> Iterator[str]:
    """Dependent columns: age, sex, civil status and nationality from their pair tables."""
    yield "| age, sex, civil status, nationality | k | model/joint, median | 5–95 % | furthest |"
    yield "|---|---|---|---|---|"
    large = [each for each in held if each.people != SMALLEST]
    known = [_known_pairs(each.cells) for each in large]
    ways = {
        "independent": [GroupLaw(independent_space(each), 1520) for each in known],
        "tree of pair tables": [GroupLaw(tree_space(each)[0], 1520) for each in known],
    }
    joint = [GroupLaw.of_counts(each.cells.ravel()) for each in large]
    for k in (41, 57, 100):
        for name, laws in ways.items():
            ratio = [
                np.exp(a.log_exact(k) - b.log_exact(k)) for a, b in zip(laws, joint, strict=True)
            ]
            low, middle, high = np.quantile(ratio, (0.05, 0.5, 0.95))
            far = max(ratio, key=lambda each: abs(np.log(each)))
            yield f"| {name} | {k} | {middle:.3f} | {low:.3f}–{high:.3f} | {far:.3g} |"


def _known(tables: Sequence[Counts]) -> Knowledge:
    """What two attributes' marginals say."""
    (cells,) = tables
    return Knowledge(int(cells.sum()), ("a", "b"), (cells.sum(axis=1), cells.sum(axis=0)))


def _known_pairs(cells: Counts) -> Knowledge:
    """The marginals and all pair tables of a table of counts."""
    every = range(cells.ndim)
    counts = [cells.sum(axis=tuple(a for a in every if a != one)) for one in every]
    pairs = {
        (i, j): cells.sum(axis=tuple(a for a in every if a not in (i, j))).astype(np.float64)
        for i in every
        for j in every
        if i < j
    }
    return Knowledge(int(cells.sum()), COLUMNS[1:], tuple(counts), pairs)
