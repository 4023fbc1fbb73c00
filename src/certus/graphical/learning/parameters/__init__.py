"""The tables of a network from rows: counts, and expected counts where cells are missing."""
