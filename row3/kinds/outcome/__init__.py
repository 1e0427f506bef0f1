"""Kind `outcome`: two systems' answers to a question, judged on facts with evidence (V7.1)."""
