"""What is proved about draws."""
