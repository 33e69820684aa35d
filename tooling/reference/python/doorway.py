"""Doorway: a TCP address inside the bench that a program outside serves, through a Unix socket of its own.

Called as `doorway.py ADDRESS PORT SOCKET`; prints `ready` once it listens. It is the opposite of `relay.py`.
"""

import asyncio
import sys


async def copy(source, target):
    """Copies until the source ends, then says so to the target."""
    try:
        while data := await source.read(65536):
            target.write(data)
            await target.drain()
        target.write_eof()
    except OSError:
        target.close()


async def main(address, port, path):
    async def serve(reader, writer):
        try:
            far_reader, far_writer = await asyncio.open_unix_connection(path)
        except OSError:
            writer.close()
            return
        await asyncio.gather(copy(reader, far_writer), copy(far_reader, writer))
        for one in (writer, far_writer):
            one.close()

    server = await asyncio.start_server(serve, address, int(port), backlog=1024)
    print("ready", flush=True)
    async with server:
        await server.serve_forever()


asyncio.run(main(*sys.argv[1:]))
