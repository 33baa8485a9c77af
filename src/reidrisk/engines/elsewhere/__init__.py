"""Records that stay where they are, in a database or a cluster: only counts travel."""
