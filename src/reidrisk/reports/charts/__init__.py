"""Pictures of results: each a pure function from figures to one Altair chart."""
