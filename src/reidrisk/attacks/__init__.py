"""Simulated attacks: what somebody who knows these attributes can do, computed and simulated."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
