"""The travel domain: flights out and back, a hotel and an attraction (paper section 3.5)."""
