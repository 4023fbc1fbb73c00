"""The only code of this family that calls the compiled module."""
