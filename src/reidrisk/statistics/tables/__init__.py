"""Small tables, as people type or download them, compiled to statistics."""
