"""The tour: a generated city, so that nobody needs a file to see what this is about."""
