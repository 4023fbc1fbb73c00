"""What bagging shares: drawing rows, fitting members."""
