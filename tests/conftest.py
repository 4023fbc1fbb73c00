"""Settings for all tests."""

from hypothesis import settings

# A busy machine is no failed property: single examples have no deadline (each test has pytest's timeout).
settings.register_profile("certus", deadline=None)
settings.load_profile("certus")
