"""The one object everything is about: the histogram of crowd sizes, counted or predicted."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
