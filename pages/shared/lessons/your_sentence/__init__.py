"""The code of the page “Your sentence”: what each word of a visitor's sentence attends to."""
