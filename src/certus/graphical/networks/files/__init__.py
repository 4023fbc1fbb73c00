"""Files of networks: one module per format, each with ``read(text)`` and mostly ``write(network)``."""
