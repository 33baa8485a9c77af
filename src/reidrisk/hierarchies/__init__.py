"""Hierarchies: how a column's values become coarser, level after level; given, or proposed."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
