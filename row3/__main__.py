"""`python -m row3`."""

from row3.cli.app import run

if __name__ == "__main__":
    run()
