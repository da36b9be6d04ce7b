"""Realistic users (RUSE, paper section 3.3): conditions, knowledge and disclosure, engines."""
