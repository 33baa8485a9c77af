"""R3A (Yang, Wang, Luo and Xiong 2020): the overall re-identification risk from a table's counts.

Random sampling shuffles the counts' columns, semi-random sampling keeps what strongly dependent
pairs say; four entropies tell when the two differ.
"""

from __future__ import annotations
