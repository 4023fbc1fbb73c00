"""Other libraries, and other ways, behind the face that a comparison needs."""
