"""Decision processes as pairs of a state and an action, whatever form they came in."""
