from .generalised import Generalised as Generalised
from .generalised import Reached as Reached
from .optimum import generalise as generalise
from .safer_table import ENDING as ENDING
from .safer_table import ReleaseRecord as ReleaseRecord
from .safer_table import record_of as record_of
from .target import asked_target as asked_target
