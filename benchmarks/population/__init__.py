"""What a sample tells of its population, held against populations that are known."""
