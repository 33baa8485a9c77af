"""From small tables, as people type or download them, to statistics."""
