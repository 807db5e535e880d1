"""What a class is asked, which outcome each answer has, and how often each one came."""
