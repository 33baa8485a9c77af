from .linkage_risk import LINKAGE_MEASURES as LINKAGE_MEASURES
from .linkage_risk import LinkageRisk as LinkageRisk
from .table_linkage import link as link

__all__: list[str]
