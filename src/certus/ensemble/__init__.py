"""Ensembles: forests, bagging and boosting."""
