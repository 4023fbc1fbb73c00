"""Quality of the study side by side with other automatic tools and with defaults of strong learners."""
