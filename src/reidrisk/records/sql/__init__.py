"""Records asked in SQL: DuckDB, a database, a cluster. Queries are pure functions."""
