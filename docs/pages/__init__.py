"""Programs that write a page of ``docs/``: ``python -m docs.pages.NAME`` in the root."""
