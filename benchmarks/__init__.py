"""Benchmarks: each folder is a command that prints a table against the peers."""
