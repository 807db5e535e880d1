"""The code of the page “Mistakes and causes”: a real model with mistakes or without some heads, and its answers."""
