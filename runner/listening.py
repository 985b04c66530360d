"""Sockets to serve on: clients can connect before the server has loaded."""

import errno
import socket

from runner.problem import Problem


def listening(host: str, port: int) -> socket.socket:
    """A socket that accepts connections; port 0 picks a free one."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(address[:2], family=family, backlog=2048)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise Problem(f"port {port} of {host} is taken; choose another with --port, or any with --port 0") from None
        raise Problem(f"cannot listen on {host}:{port}: {error.strerror}; choose others with --host, --port") from None


def address(listener: socket.socket) -> str:
    """The URL of a socket."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
