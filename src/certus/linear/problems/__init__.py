"""The problems of linear models: a loss, a penalty, and the table, in the form that solvers take."""
