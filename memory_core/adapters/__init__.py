"""One module per outside system, named after it and its port; only the composition root names them."""
