"""Views as a lattice, and the searches over it: the border, the ratio, the costs."""
