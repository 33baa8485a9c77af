"""The model's error on public tables, and the constants that `predict` holds it by."""
