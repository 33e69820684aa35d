"""Proxy in front of the LUXI socket that records every exchange.

Called as `luxi_proxy.py SOCKET NODE`. Puts a socket of its own at the place of SOCKET, passes everything on to the real one,
and puts that one back on SIGTERM. Prints `ready` when it listens. A luxid that is restarted meanwhile makes a new socket,
which is not recorded.
"""

import asyncio
import json
import os
import signal
import sys
import time

sys.path.append("/usr/share/ganeti-reference")
from recording import append  # pylint: disable=wrong-import-position

END = b"\x03"


async def main(path, node):
    real = path + ".luxid"
    status = os.stat(path)
    os.rename(path, real)

    async def serve(reader, writer):
        far_reader, far_writer = await asyncio.open_unix_connection(real, limit=1 << 30)
        try:
            while True:
                request = await reader.readuntil(END)
                started = time.time()
                far_writer.write(request)
                response = await far_reader.readuntil(END)
                record(node, started, request, response)
                writer.write(response)
                await writer.drain()
        except (asyncio.IncompleteReadError, OSError):
            pass
        finally:
            far_writer.close()
            writer.close()

    server = await asyncio.start_unix_server(serve, path, limit=1 << 30)
    os.chown(path, status.st_uid, status.st_gid)
    os.chmod(path, status.st_mode & 0o7777)
    ours = os.stat(path).st_ino
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    print("ready", flush=True)
    await stop.wait()
    server.close()
    # Not over the socket of a luxid that was started meanwhile.
    if os.path.exists(path) and os.stat(path).st_ino == ours:
        os.rename(real, path)
    else:
        os.unlink(real)


def record(node, started, request, response):
    sent, received = (json.loads(message[:-1]) for message in (request, response))
    append(
        {
            "wire": "luxi",
            "at": started,
            "ms": round((time.time() - started) * 1000, 1),
            "node": node,
            "method": sent.get("method"),
            "arguments": sent.get("args"),
            "request": sent,
            "success": received.get("success"),
            "answer": received.get("result"),
        }
    )


asyncio.run(main(*sys.argv[1:]))
