"""Kind `retrieval`: a query and the documents that answer it, ranked (V7, component 3)."""
