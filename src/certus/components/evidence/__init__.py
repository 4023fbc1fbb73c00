"""What is certified about directions: how much any directions could explain, and how far these are determined."""
