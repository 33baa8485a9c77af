"""The local page: look at a table or statistics in a browser, on one's own machine."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
