"""A head that comes about: models at hand and trained here, their boards, and what is said of them."""
