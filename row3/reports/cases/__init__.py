"""What is shown of single cases."""
