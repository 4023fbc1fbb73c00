"""What classifiers and regressors of neighbors share: their memory, and how much each neighbor counts."""
