"""Parts of the page of softmax axes alone."""
