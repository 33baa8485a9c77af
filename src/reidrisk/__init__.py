"""reidrisk: can someone be picked out of this?

    records ──▶ engines ──▶ crowds ──▶ measures ─┐
       │                                         ├──▶ report · command line · page
       └──▶ statistics ──▶ models ──▶ crowds ────┘

Records are read and counted by an engine; everything after that works on counts. Where there are
only statistics, a model predicts the same histogram of crowd sizes.
The names below are imported when first used, so that `reidrisk --help` answers at once.
"""

import logging
from typing import TYPE_CHECKING

import lazy_loader

from reidrisk.crowds import register
from reidrisk.version import __version__ as __version__

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

if TYPE_CHECKING:
    from reidrisk.crowds import Renderer


def _reports() -> "Renderer":
    """What shows answers, imported when the first one is shown."""
    from reidrisk import reports

    return reports


register(_reports)
# What is done is logged for whoever listens: `logging.getLogger("reidrisk").setLevel("INFO")`.
logging.getLogger(__name__).addHandler(logging.NullHandler())
