from .derivable_counts import DerivableCounts as DerivableCounts
from .derivable_counts import derivable_counts as derivable_counts
