"""The report: what a table or statistics mean for the people in them, as one page, text or JSON."""
