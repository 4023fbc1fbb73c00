"""What the boosting learners share: losses, rounds, stopping, weak learners."""
