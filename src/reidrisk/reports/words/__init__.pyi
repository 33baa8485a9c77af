from . import learning as learning
from . import person as person
from . import population as population
from . import search as search
from . import surveys as surveys
from . import tables as tables
