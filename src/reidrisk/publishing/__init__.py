"""What may be published: what a file of counts gives away, and protections that hold."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
