"""Whether a vote of neighbors can tie."""

from __future__ import annotations


def tied_votes(n_neighbors: int, classes: int) -> tuple[int, ...] | None:
    """Votes of k neighbors for each class in which two classes have most of all, or None if there are none.

    Two classes have m votes each and the others at most m exactly if 2m <= k <= m * classes. So two classes cannot tie
    for odd k, and three can for every k but 1.

    Parameters
    ----------
    n_neighbors : int
        Number of votes.
    classes : int
        Number of classes.

    Returns
    -------
    tuple of int or None
        The votes of each class, the most first.

    Examples
    --------
    >>> from certus.neighbors import tied_votes
    >>> tied_votes(5, 2), tied_votes(5, 3)
    (None, (2, 2, 1))
    """
    for name, value in (("n_neighbors", n_neighbors), ("classes", classes)):
        if isinstance(value, bool) or int(value) != value or value < 1:
            raise ValueError(f"{name} must be a whole number >= 1, got {value!r}.")
    most = -(-n_neighbors // classes)  # the least m with k <= m * classes
    if classes < 2 or 2 * most > n_neighbors:
        return None
    votes = []
    left = n_neighbors
    for _ in range(classes):
        votes.append(min(most, left))
        left -= votes[-1]
    return tuple(votes)
