"""`python -m reidrisk`: the command line, without its script."""

import os

INTERRUPTED = 130


def main() -> None:
    """The command line; interrupted while it is still imported, it ends without a traceback."""
    try:
        from reidrisk.cli import run

        run()
    except KeyboardInterrupt:
        os._exit(INTERRUPTED)


if __name__ == "__main__":
    main()
