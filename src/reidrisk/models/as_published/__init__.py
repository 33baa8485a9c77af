"""Two models exactly as their paper publishes them."""
