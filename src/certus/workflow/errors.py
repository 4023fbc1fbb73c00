"""The one error that a study raises for what the user can mend."""


class StudyError(ValueError):
    """The table, the target or the output folder cannot be used as asked; the message says what to do."""
