"""What learners of components share."""
