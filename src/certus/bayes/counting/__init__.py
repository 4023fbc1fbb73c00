"""What naive Bayes classifiers share: joint probabilities, batches, counts."""
