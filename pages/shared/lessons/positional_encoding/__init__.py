"""The views of positional encoding."""
