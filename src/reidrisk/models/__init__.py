"""From statistics to crowd sizes: what a table would look like under a law.

`independent`: the attributes' values are dealt out independently of each other.
"""

from reidrisk.models.independent import (
    expected_crowd_sizes,
    experience_entropy,
    random_entropy,
)

__all__ = ["expected_crowd_sizes", "experience_entropy", "random_entropy"]
