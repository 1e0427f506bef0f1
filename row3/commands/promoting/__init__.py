"""Make a prompt version the current one."""
