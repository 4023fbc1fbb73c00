"""How far a solution can be from the best one: measured, certified, and checked by a second route."""
