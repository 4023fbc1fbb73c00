"""From texts to terms: reading, lowercase and accents, words and runs of characters."""
