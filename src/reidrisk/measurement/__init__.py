"""The measures of a table and what is in it: records counted, answers in one shape."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
