"""What people look at: reports, figures, exports and the offline demonstration."""
