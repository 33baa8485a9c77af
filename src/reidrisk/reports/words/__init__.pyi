from . import group as group
from . import person as person
from . import plan as plan
from . import search as search
from . import table_risk as table_risk
