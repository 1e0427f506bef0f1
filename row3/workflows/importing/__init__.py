"""`row3 import`: what people have for other tools, as golden cases of kind `checks`."""
