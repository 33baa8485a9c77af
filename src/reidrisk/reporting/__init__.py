"""A result in words and pictures."""
