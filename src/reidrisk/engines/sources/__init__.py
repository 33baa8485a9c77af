"""Where columns come from: one module a family of formats."""
