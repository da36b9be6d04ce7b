"""One graded episode, and many: plan, records, resume."""
