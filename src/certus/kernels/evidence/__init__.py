"""How far a kernel learner can be from what it approximates: certified, and checked by a second route."""
