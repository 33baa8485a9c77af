from .estimation import Estimate as Estimate
from .estimation import estimated as estimated
from .households import Households as Households
from .population_error import Figure as Figure
from .population_estimate import population as population
from .population_risk import PopulationRisk as PopulationRisk
from .sampled_cells import SampledCells as SampledCells
from .sampled_cells import cells_of as cells_of
