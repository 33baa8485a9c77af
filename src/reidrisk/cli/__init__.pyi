from .main import run as run
