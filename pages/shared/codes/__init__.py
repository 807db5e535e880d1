"""The code that each page shows and exports, in both layouts, one file a page; and the code of a mistake."""
