"""Where records are: read a file or a table in memory, answer a few questions about it.

Nothing to the right of this room sees a record; it asks the questions of `contract` and gets
counts.
"""

from reidrisk.engines.table import Table, read

__all__ = ["Table", "read"]
