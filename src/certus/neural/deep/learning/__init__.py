"""What deep learners share: parameters, fitting by the trainer, asking the trained module."""
