"""Servers of tables on this machine, as processes of their own."""

import os
import pathlib
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence

# The name "localhost" is not known to a machine without /etc/hosts.
_LOOPBACK = "127.0.0.1"


class LocalServers:
    """Some `table_server` processes, which know each other.

    >>> with LocalServers(2) as servers:
    ...   devices = connect(servers.addresses)
    """

    def __init__(self, count: int) -> None:
        """Starts servers and waits until they serve.

        Args:
          count: How many.

        Raises:
          RuntimeError: If one of them ends instead.
        """
        self.addresses = [f"{_LOOPBACK}:{port}" for port in _free_ports(count)]
        self._processes = [self._popen(i) for i in range(count)]
        try:
            for process in self._processes:
                _wait_for(process)
        except BaseException:
            self.stop()
            raise

    def __enter__(self) -> "LocalServers":
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()

    def kill(self, server: int) -> None:
        """Ends a server as a machine that fails does."""
        process = self._processes[server]
        process.kill()
        process.communicate()

    def restart(self, server: int) -> None:
        """Starts a server that was killed, at the address that it had."""
        self._processes[server] = self._popen(server)
        _wait_for(self._processes[server])

    def pause(self, server: int) -> None:
        """Makes a server silent: its connections stay, and nothing answers."""
        stop_process(self._processes[server].pid)

    def resume(self, server: int) -> None:
        """Makes a server go on that was paused."""
        self._processes[server].send_signal(signal.SIGCONT)

    def stop(self) -> None:
        """Ends all servers."""
        for server in range(len(self._processes)):
            self.kill(server)

    def _popen(self, server: int) -> subprocess.Popen:
        return run_server(
            [
                f"--cluster={','.join(self.addresses)}",
                f"--task_index={server}",
            ]
        )


def run_server(arguments: Sequence[str]) -> subprocess.Popen:
    """Starts a `table_server`, with all that it prints in one pipe."""
    return subprocess.Popen(
        [
            sys.executable,
            "-m",
            "tensorflow_examples.custom_ops_doc.distributed_hash_table."
            "table_server",
            *arguments,
        ],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def _wait_for(process: subprocess.Popen) -> None:
    said = []
    for line in process.stdout:
        said.append(line)
        if line.startswith("serving at "):
            return
    raise RuntimeError(f"table_server ended: {''.join(said)}")


def stop_process(pid: int) -> None:
    """Stops a process; when this returns, none of its threads runs."""
    os.kill(pid, signal.SIGSTOP)
    while not all(
        map(_is_stopped, pathlib.Path(f"/proc/{pid}/task").iterdir())
    ):
        time.sleep(0.001)


def _is_stopped(thread: pathlib.Path) -> bool:
    try:
        state = (thread / "stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):  # It has ended.
        return True
    return state == "T"


def _free_ports(count: int) -> list[int]:
    """Returns ports that nobody listens at, all different."""
    sockets = [socket.create_server((_LOOPBACK, 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports
