"""Two systems' answers to one question, judged on facts with evidence (V7.1)."""
