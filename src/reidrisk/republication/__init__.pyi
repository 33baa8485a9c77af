from .compared_tables import releases as releases
from .releases_risk import DIFFERENCE_MEASURES as DIFFERENCE_MEASURES
from .releases_risk import ReleasesRisk as ReleasesRisk
from .releases_risk import TableOfCounts as TableOfCounts

__all__: list[str]
