from .generated_city import city as city
from .tour import Tour as Tour
from .tour import write_city as write_city
