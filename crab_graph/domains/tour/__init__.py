"""Tours of two cities: three legs by train or plane, two stays, two attractions."""
