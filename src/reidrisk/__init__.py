"""reidrisk: can someone be picked out of this?

    records ──▶ engines ──▶ crowds ──▶ measures ─┐
       │                                         ├──▶ report · command line · page
       └──▶ statistics ──▶ models ──▶ crowds ────┘

Records are read and counted by an engine; everything after that works on counts. Where there are
only statistics, a model predicts the same histogram of crowd sizes.
The names below are imported when first used, so that `reidrisk --help` answers at once.
"""

import lazy_loader

from reidrisk.version import __version__ as __version__

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
