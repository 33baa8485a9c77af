"""Laws of a combination's crowd when the attributes are independent: exact, binomial, conditioned.

One combination: `RecursiveHypergeometric`, `crowd_of_tuple`. Millions: `tails`, `crowds_of_tuples`.
Groups of k whose members all differ: `GroupLaw` over a `TupleSpace`, independent or a tree.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
