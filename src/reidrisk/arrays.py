"""Arrays: the kinds of numbers that are passed about, each named once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
# How many people, a number each.
Counts = NDArray[np.int64]
# Small whole numbers that stand for values, of whatever width.
Codes = NDArray[np.integer]
# A row for each record or combination, a column for each attribute: codes of its values.
Rows = NDArray[np.int32]
# Where something stands in another array.
Places = NDArray[np.intp]
Mask = NDArray[np.bool_]
