"""What is certified about a machine, and the second routes by which it is checked."""
