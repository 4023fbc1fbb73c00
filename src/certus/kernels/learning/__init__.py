"""What learners with a kernel share."""
