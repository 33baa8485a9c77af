"""Figures that pyCANON 1.3 gives for Adult; docs/peers.md says where and why others differ."""

from __future__ import annotations

from pathlib import Path

import pytest

import reidrisk as rr

ADULT = Path(__file__).resolve().parents[3] / "shared" / "data" / "adult"
KNOWN = ["age", "education", "occupation", "relationship", "sex", "native-country"]
# File: smallest crowd, t, β, enhanced β, δ; all have a crowd of one value.
ANSWERS = {
    "adult_anonymized_k3": (3, 0.7591904425539756, 3.152659099604642, 1.423748875944647,
                            2.98259391741754),
    "adult_anonymized_k10": (10, 0.7532679183784334, 3.052979221136645, 1.3994522208471043,
                             2.974762224856347),
    "adult_anonymized_k20": (20, 0.7591904425539756, 3.152659099604642, 1.423748875944647,
                             2.98259391741754),
}  # fmt: skip


@pytest.mark.skipif(not ADULT.is_dir(), reason="Adult isn't at hand (../shared/data)")
@pytest.mark.parametrize("file", ANSWERS)
def test_adult_as_pycanon_has_it(file: str) -> None:
    found = rr.learn(ADULT / f"{file}.parquet", columns=KNOWN, sensitive="salary-class")
    risk = found.sensitive["salary-class"]
    smallest, t, beta, enhanced, delta = ANSWERS[file]
    assert found.crowd_sizes.smallest_crowd == smallest
    assert (risk.distinct_l, risk.entropy_l, risk.alpha) == (1, 1.0, 1.0)
    assert risk.t_closeness == pytest.approx(t, rel=1e-12)
    assert risk.beta_likeness == pytest.approx(beta, rel=1e-12)
    assert risk.enhanced_beta_likeness == pytest.approx(enhanced, rel=1e-12)
    assert risk.delta_disclosure == pytest.approx(delta, rel=1e-12)
