"""What makes and checks the documentation: reference pages, examples that run, links."""
