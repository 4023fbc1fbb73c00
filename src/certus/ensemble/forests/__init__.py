"""What forests share: bins, growing, votes and what the votes promise."""
