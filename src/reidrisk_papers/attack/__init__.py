"""Attack simulation: which attributes are dangerous, at what cost, and which levels are enough.

Only a damaged fragment of the paper survives: seven algorithms and one figure without its table.
What can't be read is settled by what it must mean, which is said at each algorithm.
"""

from __future__ import annotations
