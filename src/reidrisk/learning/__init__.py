"""Learning: what a table gives away about somebody who isn't picked out (attribute disclosure)."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
