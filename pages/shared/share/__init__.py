"""Share a state of a page: by a link with its QR code, or as a file."""
