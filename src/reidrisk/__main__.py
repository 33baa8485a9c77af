"""`python -m reidrisk`: the command line, without its script."""

from reidrisk.cli import run

if __name__ == "__main__":
    run()
