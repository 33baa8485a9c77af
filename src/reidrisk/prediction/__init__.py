"""Questions answered without records: one person, many people."""
