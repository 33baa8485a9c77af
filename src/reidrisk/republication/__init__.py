"""Republication: what releases of the same people reveal together and none of them alone."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
