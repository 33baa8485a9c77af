"""The local page: look at a table or statistics in a browser, on one's own machine."""
