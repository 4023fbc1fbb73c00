"""Methods that find values and policies of a decision process."""
