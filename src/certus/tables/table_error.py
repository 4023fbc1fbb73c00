"""The one error of reading tables: what the user can fix in the table or in how it is read."""


class TableError(ValueError):
    """A table that cannot be read, or cannot be used as asked."""
