"""One dialogue to look at: what was said, what was done, and what the tables then held."""
