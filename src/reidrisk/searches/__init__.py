"""Searches over combinations of columns: the risky ones, the ratio, what an attacker pays."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
