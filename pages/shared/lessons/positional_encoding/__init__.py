"""The views of the page “Positional encoding”, one module for each."""
