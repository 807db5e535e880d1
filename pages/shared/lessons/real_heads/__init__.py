"""The code of the page “Real heads”: a text in a language model, a map of each head, and the roles of some heads."""
