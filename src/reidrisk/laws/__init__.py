"""Laws of a tuple's crowd when the attributes are independent: exact, binomial, conditioned.

Imported when first used: the binomial form needs SciPy, the exact laws don't.
One tuple: `RecursiveHypergeometric`, `crowd_of_tuple`. Millions: `tails`, `crowds_of_tuples`.
Groups of k whose members all differ: `GroupLaw` over a `TupleSpace`, independent or a tree.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from reidrisk.laws.between_counts import MixedLaw, between_whole_counts
    from reidrisk.laws.binomial_form import BinomialForm
    from reidrisk.laws.conditioned import (
        CrowdOfTuple,
        CrowdsOfTuples,
        crowd_of_tuple,
        crowds_of_tuples,
    )
    from reidrisk.laws.group_law import GroupLaw
    from reidrisk.laws.many_binomials import binomial_tails
    from reidrisk.laws.many_tuples import mean_reciprocals, reciprocals, tails
    from reidrisk.laws.probability_difference import (
        ProbabilityDifference,
        maximum_probability_difference,
    )
    from reidrisk.laws.recursive_hypergeometric import RecursiveHypergeometric
    from reidrisk.laws.tuple_space import TupleSpace

_MODULES = {
    "BinomialForm": "binomial_form",
    "CrowdOfTuple": "conditioned",
    "CrowdsOfTuples": "conditioned",
    "GroupLaw": "group_law",
    "MixedLaw": "between_counts",
    "ProbabilityDifference": "probability_difference",
    "RecursiveHypergeometric": "recursive_hypergeometric",
    "TupleSpace": "tuple_space",
    "between_whole_counts": "between_counts",
    "binomial_tails": "many_binomials",
    "crowd_of_tuple": "conditioned",
    "crowds_of_tuples": "conditioned",
    "maximum_probability_difference": "probability_difference",
    "mean_reciprocals": "many_tuples",
    "reciprocals": "many_tuples",
    "tails": "many_tuples",
}

__all__ = [
    "BinomialForm",
    "CrowdOfTuple",
    "CrowdsOfTuples",
    "GroupLaw",
    "MixedLaw",
    "ProbabilityDifference",
    "RecursiveHypergeometric",
    "TupleSpace",
    "between_whole_counts",
    "binomial_tails",
    "crowd_of_tuple",
    "crowds_of_tuples",
    "maximum_probability_difference",
    "mean_reciprocals",
    "reciprocals",
    "tails",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'reidrisk.laws' has no attribute {name!r}")
    return getattr(import_module(f"reidrisk.laws.{_MODULES[name]}"), name)
