"""What the repository rules ask of the machine that they run on."""

def check_host(repository_ctx):
    """Fails unless the machine is one that the pinned packages run on: Linux on x86-64.

    Args:
      repository_ctx: of the calling repository rule.
    """
    system = repository_ctx.os.name.lower()
    machine = repository_ctx.execute(["uname", "-m"]).stdout.strip()
    if system != "linux" or machine not in ["x86_64", "amd64"]:
        fail("\n\nThe pinned toolchains and wheels are for Linux on x86-64; this machine is %s on %s.\n" % (system, machine) +
             "Use an x86-64 machine or container. --config=host replaces the C++ toolchain only.")

def host_python(repository_ctx):
    """Returns the path of the machine's Python 3, which unpacks the pinned one.

    Args:
      repository_ctx: of the calling repository rule.
    """
    python = repository_ctx.which("python3")
    if not python:
        fail("\n\nNo python3 on PATH. It unpacks the pinned toolchains; install it: apt-get install python3")
    return python
