"""The validity evidence of a benchmark: what must hold before its numbers mean anything."""
