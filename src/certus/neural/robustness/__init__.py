"""How far inputs can move before a network gives another label: bounds that count every rounding, and exact search."""
