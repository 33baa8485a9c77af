"""Records in memory as packed codes: the fast path."""
