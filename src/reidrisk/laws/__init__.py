"""Laws of a tuple's crowd when the attributes are independent: exact, binomial, conditioned.

One tuple: `RecursiveHypergeometric`, `crowd_of_tuple`. Millions: `tails`, `crowds_of_tuples`.
"""

from reidrisk.laws.between_counts import MixedLaw, between_whole_counts
from reidrisk.laws.binomial_form import BinomialForm
from reidrisk.laws.conditioned import (
    CrowdOfTuple,
    CrowdsOfTuples,
    crowd_of_tuple,
    crowds_of_tuples,
)
from reidrisk.laws.many_binomials import binomial_tails
from reidrisk.laws.many_tuples import mean_reciprocals, reciprocals, tails
from reidrisk.laws.probability_difference import (
    ProbabilityDifference,
    maximum_probability_difference,
)
from reidrisk.laws.recursive_hypergeometric import RecursiveHypergeometric

__all__ = [
    "BinomialForm",
    "CrowdOfTuple",
    "CrowdsOfTuples",
    "MixedLaw",
    "ProbabilityDifference",
    "RecursiveHypergeometric",
    "between_whole_counts",
    "binomial_tails",
    "crowd_of_tuple",
    "crowds_of_tuples",
    "maximum_probability_difference",
    "mean_reciprocals",
    "reciprocals",
    "tails",
]
