"""What the learners share: reading parameters, choosing penalties, storing what was found, predicting."""
