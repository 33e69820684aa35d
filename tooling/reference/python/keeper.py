"""Keeper of one bench: makes its namespaces, and ends every process in them when it is told to stop.

Called as `keeper.py SPEC.json`. Prints one line, `ready PID`, when the namespaces are set up; PID is the init process of the
bench as the caller sees it. Ends, with the whole bench, on SIGTERM or SIGINT, and, with `"owner": true`, when its standard
input is closed, so that no bench outlives the program that asked for it.
"""

import ctypes
import json
import os
import select
import signal
import subprocess
import sys
import time

CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWPID, CLONE_NEWNET = 0x20000, 0x08000000, 0x20000000, 0x40000000
PR_SET_PDEATHSIG = 1
MS_BIND = 4096
GRACE_S = 5

libc = ctypes.CDLL(None, use_errno=True)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        spec = json.load(file)
    if libc.unshare(CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWPID | CLONE_NEWNET) != 0:
        sys.exit(f"cannot make namespaces: {os.strerror(ctypes.get_errno())}")
    ready, told = os.pipe()
    keeper = os.getpid()
    pid = os.fork()
    if pid == 0:
        os.close(ready)
        init(spec, keeper, told)
    os.close(told)
    stopping = []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopping.append(True))
    if os.read(ready, 1) != b"r":
        os.waitpid(pid, 0)
        sys.exit("the bench could not be set up")
    print(f"ready {pid}", flush=True)
    watch(pid, stopping, spec["owner"])


def watch(pid, stopping, owner):
    """Waits for the end of init, and asks for it when the owner is gone or a signal came."""
    asked = False
    while True:
        ended, _ = os.waitpid(pid, os.WNOHANG)
        if ended == pid:
            return
        if not stopping and owner:
            readable, _, _ = select.select([0], [], [], 0.1)
            if readable and os.read(0, 4096) == b"":
                stopping.append(True)
        else:
            time.sleep(0.1)
        if stopping and not asked:
            asked = True
            os.kill(pid, signal.SIGTERM)


def init(spec, keeper, told):
    """The first process of the bench: its death is the death of all others."""
    # The signal would be lost if the keeper died before it was asked for.
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if not keeper_lives(keeper):
        os._exit(1)
    try:
        os.setsid()
        stopping = []
        signal.signal(signal.SIGTERM, lambda *_: stopping.append(True))
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        log = os.open(os.path.join(spec["root"], "bench.log"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
        os.dup2(log, 1)
        os.dup2(log, 2)
        mounts(spec)
        network(spec)
        for command in spec["services"]:
            subprocess.Popen(command, start_new_session=True)
        os.write(told, b"r")
        os.close(told)
        reap(stopping)
    except BaseException as error:  # pylint: disable=broad-except
        print(f"init: {error!r}", flush=True)
        os._exit(1)
    os._exit(0)


def keeper_lives(keeper):
    # The keeper is outside this process namespace, where its parent is seen as 0; /proc is still the caller's.
    return os.path.exists(f"/proc/{keeper}")


def reap(stopping):
    """Collects ended processes until it is told to stop; then ends all others, gently for a while."""
    while not stopping:
        collect()
        time.sleep(0.05)
    deadline = time.monotonic() + GRACE_S
    signal_all(signal.SIGTERM)
    while collect() and time.monotonic() < deadline:
        time.sleep(0.02)
    signal_all(signal.SIGKILL)


def signal_all(number):
    # In a process namespace, -1 is every process of the namespace but the caller.
    try:
        os.kill(-1, number)
    except ProcessLookupError:
        pass


def collect():
    """Collects what has ended; false when init is the only process."""
    while True:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return False
        if pid == 0:
            return True


def mounts(spec):
    """Private views of /usr, /etc, /run and /srv; nothing of them is written to the machine."""
    root, layers, base = spec["root"], spec["layers"], spec["base"]
    run("mount", "--make-rprivate", "/")
    kept = [] if base == "/" else [(path, os.open(path, os.O_PATH)) for path in spec["programs"]]
    for folder in ("usr", "etc"):
        lower = [f"{layer}/{folder}" for layer in layers if os.path.isdir(f"{layer}/{folder}")]
        upper, work = (f"{root}/overlay/{folder}-{kind}" for kind in ("upper", "work"))
        os.makedirs(upper, exist_ok=True)
        os.makedirs(work, exist_ok=True)
        options = f"lowerdir={':'.join([*lower, os.path.join(base, folder)])},upperdir={upper},workdir={work}"
        run("mount", "-t", "overlay", "overlay", "-o", options, f"/{folder}")
    for path, descriptor in kept:
        bind_again(path, descriptor)
    run("mount", "-t", "proc", "proc", "/proc")
    # Bridges are looked for in /sys, which shows those of the network namespace that mounts it.
    run("mount", "-t", "sysfs", "sysfs", "/sys")
    for folder in ("/run", "/srv"):
        run("mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", folder)
    if spec["devices"]:
        private_devices()
    for folder in ("/run/lock", "/run/sshd"):
        os.mkdir(folder)
    for inside, outside in spec["binds"].items():
        os.makedirs(inside, exist_ok=True)
        run("mount", "--bind", f"{root}/{outside}", inside)


def bind_again(path, descriptor):
    """Puts a program of the machine, opened before another system's folders hid it, back at its path."""
    if os.path.exists(path) and os.path.samestat(os.stat(descriptor), os.stat(path)):
        return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "ab"):
        pass
    # mount(8) would follow the link to the path, where the program is not any more.
    if libc.mount(f"/proc/self/fd/{descriptor}".encode(), path.encode(), None, MS_BIND, None) != 0:
        raise OSError(ctypes.get_errno(), f"cannot bind {path}")
    os.close(descriptor)


def private_devices():
    """A /dev of the bench's own with the devices of the machine, to which volumes can be added."""
    new = "/run/dev"
    os.mkdir(new)
    run("mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", new)
    run("cp", "--archive", "--one-file-system", "/dev/.", new)
    for folder in ("pts", "shm", "mqueue"):
        if os.path.ismount(f"/dev/{folder}"):
            run("mount", "--bind", f"/dev/{folder}", f"{new}/{folder}")
    run("mount", "--rbind", new, "/dev")
    run("umount", "--recursive", "--lazy", new)


def network(spec):
    run("ip", "link", "set", "lo", "up")
    run("ip", "link", "add", spec["bridge"], "type", "bridge")
    run("ip", "link", "set", spec["bridge"], "up")
    for address in spec["addresses"]:
        run("ip", "address", "add", address, "dev", spec["bridge"])


def run(*command):
    subprocess.run(command, check=True)


main()
