"""The code of the page “Multi-head and Wᴼ”: why there are several heads, and what they do."""
