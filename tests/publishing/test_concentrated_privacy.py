"""The accounting: bounds against privacy losses worked out exactly."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reidrisk.errors import InputError
from reidrisk.laws.discrete_gaussian import DiscreteGaussian
from reidrisk.publishing.concentrated_privacy import delta_of, epsilon_of, rho_of
from tests.publishing.losses import exact_delta


@pytest.mark.parametrize("variance", [0.25, 1.0, 7.5, 400.0])
@pytest.mark.parametrize("counts", [1, 3, 20])
def test_the_bound_holds_for_the_discrete_gaussian(variance: float, counts: int) -> None:
    """δ by definition, Σ max(P − e^ε P', 0), of so many counts that one person changes."""
    noise = DiscreteGaussian.at_least(variance)
    rho = counts / (2.0 * noise.variance)
    for epsilon in rho + np.array([0.5, 2.0, 5.0]) * math.sqrt(2.0 * rho):
        exact = exact_delta([(noise, counts)], epsilon)
        bound = delta_of(rho, epsilon)
        assert exact <= bound * (1 + 1e-9)
        # Tight, too: it isn't a bound that asks for far more noise than is needed.
        assert bound < 8.0 * exact or exact < 1e-12 or variance < 100.0


@given(st.floats(0.01, 20.0), st.floats(1e-12, 1e-3))
def test_rho_of_is_the_largest_and_careful(epsilon: float, delta: float) -> None:
    rho = rho_of(epsilon, delta)
    assert epsilon_of(rho, delta) <= epsilon
    assert delta_of(rho, epsilon) <= delta * (1 + 1e-6)
    assert epsilon_of(rho * (1 + 1e-7), delta) > epsilon * (1 - 1e-9)
    loose = (math.sqrt(epsilon + math.log(1 / delta)) - math.sqrt(math.log(1 / delta))) ** 2
    assert rho > loose


@given(st.floats(1e-6, 5.0), st.floats(1e-12, 1e-3), st.floats(1.01, 3.0))
def test_more_rho_costs_more(rho: float, delta: float, times: float) -> None:
    assert epsilon_of(times * rho, delta) > epsilon_of(rho, delta)
    assert delta_of(times * rho, 1.0) >= delta_of(rho, 1.0)


def test_no_noise_needed_for_nothing() -> None:
    assert epsilon_of(0.0, 1e-9) == 0.0
    assert delta_of(0.0, 0.1) == 0.0


@pytest.mark.parametrize("epsilon", [0.0, -1.0, math.inf, math.nan])
def test_impossible_epsilon(epsilon: float) -> None:
    with pytest.raises(InputError, match="epsilon"):
        rho_of(epsilon, 1e-9)


@pytest.mark.parametrize("delta", [0.0, 1.0, -1e-9, math.nan])
def test_impossible_delta(delta: float) -> None:
    with pytest.raises(InputError, match="delta"):
        rho_of(1.0, delta)
