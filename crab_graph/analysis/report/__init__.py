"""What a run shows: figures with their intervals, and each dialogue beside what was done."""
