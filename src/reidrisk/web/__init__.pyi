from .guard import USUAL_UPLOAD as USUAL_UPLOAD
from .guard import Settings as Settings
from .guard import is_loopback as is_loopback
from .processes import WorkerProcess as WorkerProcess
from .server import address_of as address_of
from .server import listening as listening
from .server import refuse_without_libraries as refuse_without_libraries
from .server import serve as serve
