"""The one error that a study raises for what the user can fix: the table's own error."""

from certus.tables import TableError

StudyError = TableError
