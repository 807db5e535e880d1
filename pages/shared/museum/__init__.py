"""The museum of mistakes as a page shows it: choosing an exhibit and a line, what it gives, what is said of it."""
