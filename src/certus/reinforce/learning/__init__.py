"""What learners of decision processes share: worlds to act in, and how a table learner is trained."""
