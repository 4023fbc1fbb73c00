"""How far values and policies can be from the optimum."""
