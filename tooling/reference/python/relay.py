"""Relay between a Unix socket, which programs outside the bench can reach, and TCP addresses inside it.

Called as `relay.py SOCKET`. A client sends one line, `ADDRESS PORT`, and is then connected. The answer to the line is
`ok` or `error TEXT`, also one line.
"""

import asyncio
import os
import sys


async def serve(reader, writer):
    line = (await reader.readline()).decode().split()
    try:
        address, port = line
        far_reader, far_writer = await asyncio.open_connection(address, int(port))
    except (OSError, ValueError) as error:
        writer.write(f"error {error}\n".encode())
        writer.close()
        return
    writer.write(b"ok\n")
    await asyncio.gather(copy(reader, far_writer), copy(far_reader, writer))


async def copy(source, target):
    """Copies until the source ends, then says so to the target."""
    try:
        while data := await source.read(65536):
            target.write(data)
            await target.drain()
        target.write_eof()
    except OSError:
        target.close()


async def main(path):
    server = await asyncio.start_unix_server(serve, path)
    os.chmod(path, 0o600)
    async with server:
        await server.serve_forever()


asyncio.run(main(sys.argv[1]))
