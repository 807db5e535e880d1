"""The code of the page “Scaling”: scores with several divisors, and measurements of thousands of random scores."""
