"""What a file may hold. Writing obeys the same limits, so that whatever was written can be read."""

SCHEMA_VERSION = 1
FORMAT = "certus-model"

MAX_MEMBERS = 200_000
MAX_DEPTH = 64  # levels of lists, dictionaries and learners inside each other
MAX_MANIFEST_BYTES = 32 * 2**20
MAX_CERTIFICATES_BYTES = 64 * 2**20
MAX_LABELS_BYTES = 256 * 2**20

# A text array has cells of equal width: one long text and many short ones need far more memory than file.
MIN_TEXT_BUDGET = 64 * 2**20
TEXT_GROWTH = 64


def text_budget(json_bytes: int) -> int:
    """Bytes of memory that a text array may take, given the bytes of its JSON."""
    return max(MIN_TEXT_BUDGET, TEXT_GROWTH * json_bytes)
