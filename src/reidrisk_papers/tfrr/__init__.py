"""TFRR: how many people share one person's tuple, from counts of single values alone.

Independent columns make a tuple's crowd recursive hypergeometric; a person is k-indistinguishable
with P(crowd ≥ k), given that the person is in the table. Six figures, on random and real tables.
"""

from __future__ import annotations
