"""Files: where columns come from, one module for each family of formats."""
