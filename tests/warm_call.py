"""Stands for the interpreter in a hook: `warm_call.py ADDRESS PYTHON PATH [ARG …]` has `PYTHON -m row3 …` forked.

Anything else, and a command whose environment is not the server's, is left to the interpreter. Started without `site`
and with built-in modules alone, since what it saves is the start.
"""

import _socket
import array
import marshal
import os
import sys

address, python, path, *args = sys.argv[1:]
env = dict(os.environ)
# git puts the folder of its own programs before it.
known = env.get("PATH", "").endswith(path) and not {"PYTHONHASHSEED", "PYTHONUTF8", "PYTHONMALLOC"} & env.keys()
if args[:2] != ["-m", "row3"] or not known:
    os.execv(python, [python, *args])
call = _socket.socket(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
call.connect(address)
call.setsockopt(_socket.SOL_SOCKET, _socket.SO_SNDBUF, 1 << 20)
request = marshal.dumps({"args": args[2:], "cwd": os.getcwd(), "env": env, "session": False})
call.sendmsg([request], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, array.array("i", [0, 1, 2]))])
call.recv(32)
os._exit(int(call.recv(32)))
