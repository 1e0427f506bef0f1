"""Better words for a prompt, proposed by a language model and measured on golden cases."""
