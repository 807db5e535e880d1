"""The NumPy code that each page shows and exports, one file for each page, and the code of a mistake.

Each text of code exists twice: with tokens as rows, and with tokens as columns.
"""
