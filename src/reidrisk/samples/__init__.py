"""Samples: what a sample's records say of the population it was drawn from."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
