"""Task generation (paper section 3.2, A.4, A.5), from constraint graph to certificate."""
