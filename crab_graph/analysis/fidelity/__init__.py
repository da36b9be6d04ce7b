"""How like people simulated users talk, and whether they do what their condition says (§3.3)."""
