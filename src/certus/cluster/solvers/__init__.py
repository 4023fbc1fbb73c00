"""Lloyd's iterations on dense and sparse rows, and their first centers."""
