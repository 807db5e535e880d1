"""What the page of softmax axes alone shows."""
