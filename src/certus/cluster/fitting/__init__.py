"""What the learners of this family share."""
