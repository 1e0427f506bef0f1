"""The program: `python -m row3`, and the `row3` that pip installs."""

from __future__ import annotations

import signal
import sys


def main() -> None:
    """Run the command line as a process that Ctrl-C ends with exit code 130 and one message, whenever it comes."""
    try:
        from row3.cli.app import run

        try:
            run()
        finally:
            # The command is over and its exit code is decided; an interpreter that is being taken down has no answer to
            # Ctrl-C but a traceback.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        sys.stderr.write("error: interrupted\n")
        sys.exit(130)


if __name__ == "__main__":
    main()
