"""What the learners of this family share: parameters, fitting, stopping, ways to begin."""
