"""The measures of a table and what is in it: records counted, answers in one shape."""
