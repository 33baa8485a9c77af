"""How far predictions of what would be learnt are off on public tables."""
