/** readBytes: reads an exact number of bytes from a stream, for handshakes. */
import type { Duplex } from "node:stream";

/** Resolves with `count` bytes, and leaves the rest in the stream. @throws Error if the stream ends before */
export async function readBytes(stream: Duplex, count: number): Promise<Buffer> {
  for (;;) {
    const bytes = count === 0 ? Buffer.alloc(0) : (stream.read(count) as Buffer | null);
    // An ended stream returns its last bytes even if they are fewer than requested.
    if (bytes !== null && bytes.length === count) return bytes;
    if (bytes !== null || stream.readableEnded || stream.destroyed)
      throw new Error("it was closed");
    await new Promise<void>((resolve, reject) => {
      const settle = (error?: Error) => {
        for (const event of ["readable", "end", "close"]) stream.off(event, more);
        stream.off("error", settle);
        if (error === undefined) resolve();
        else reject(error);
      };
      const more = () => settle();
      for (const event of ["readable", "end", "close"]) stream.once(event, more);
      stream.once("error", settle);
    });
  }
}
