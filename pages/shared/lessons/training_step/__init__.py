"""A step of training: its boards, where it stands, and what is said of it."""
