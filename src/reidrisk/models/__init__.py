"""From statistics to crowd sizes: what a table would look like under a law.

- `independent`: the attributes' values are dealt out independently of each other;
- `pair`: strongly dependent pairs go together, all else is independent;
- `tree`: each attribute depends on one other;
- `pairwise`: every pair table given is kept, and nothing else is assumed;
- `shuffle`: R3A's algorithms as published.

All answer the same questions (`contract`); `choosing` takes the one that fits what is known.
"""

from reidrisk.models.independent import (
    expected_crowd_sizes,
    experience_entropy,
    random_entropy,
)

__all__ = ["expected_crowd_sizes", "experience_entropy", "random_entropy"]
