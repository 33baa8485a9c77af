"""The least change that makes a table safe: hierarchies of values."""
