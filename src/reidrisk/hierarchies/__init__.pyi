from .hierarchy import Hierarchy as Hierarchy
from .hierarchy import HoleInHierarchy as HoleInHierarchy
from .hierarchy_files import Given as Given
from .hierarchy_files import given_hierarchies as given_hierarchies
from .hierarchy_files import hierarchies_of as hierarchies_of
from .hierarchy_files import write_hierarchies as write_hierarchies
from .hierarchy_files import write_hole as write_hole
from .level_codes import LevelCodes as LevelCodes
from .level_codes import all_levels as all_levels
from .level_codes import level_codes as level_codes
from .proposed_hierarchies import coarser_ways as coarser_ways

__all__: list[str]
