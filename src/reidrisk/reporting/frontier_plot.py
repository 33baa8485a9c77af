"""The cost–success frontier as a small plot of characters: a staircase over the cost."""

from __future__ import annotations

from collections.abc import Sequence

WIDTH, HEIGHT = 56, 9


def frontier_plot(points: Sequence[tuple[float, float]]) -> str:
    """(cost, value) by rising cost: what is reached up to each cost, value upward, cost along."""
    dearest, highest = points[-1][0] or 1.0, points[-1][1] or 1.0
    reached = [_reached(points, dearest * place / (WIDTH - 1)) for place in range(WIDTH)]
    lines = []
    for row in range(HEIGHT, 0, -1):
        low, high = highest * (row - 1) / HEIGHT, highest * row / HEIGHT
        cells = "".join(_cell(value, low, high) for value in reached)
        label = f"{highest:7.3g}" if row == HEIGHT else " " * 7
        lines.append(f"  {label} ┤{cells}".rstrip())
    lines.append(f"  {'0':>7} └{'─' * WIDTH}")
    lines.append(f"{' ' * 11}0{f'cost {dearest:g}':>{WIDTH - 1}}")
    return "\n".join(lines)


def _reached(points: Sequence[tuple[float, float]], cost: float) -> float:
    """The last point's value that costs no more; rounding must not lose the last of all."""
    return max((value for paid, value in points if paid <= cost * (1 + 1e-12)), default=0.0)


def _cell(value: float, low: float, high: float) -> str:
    if value >= high * (1 - 1e-12):
        return "█"
    return "▄" if value > low + (high - low) / 4 else " "
