"""The code that each page shows and exports, in both layouts, one file for each page; and the code of a mistake."""
