"""Methods that solve kernel machines."""
