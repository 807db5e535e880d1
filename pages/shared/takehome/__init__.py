"""Take home: what is on the screen as a script, a notebook, LaTeX, tables and a worksheet: texts, and the dialog."""
