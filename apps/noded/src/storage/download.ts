/** download: copies an image from a URL directly to a device. */
import { type FileHandle, open } from "node:fs/promises";
import type { CancelSignal } from "@ganeti-ts/protocol";
import { bytesPerMib } from "@ganeti-ts/protocol";
import { NodeFailure, writeFailure } from "../failure.js";

/**
 * Writes the content of `url` to the beginning of the device or file at `path`. The content is streamed and not buffered;
 * a content larger than `sizeMib` is a failure. The download stops when the caller disconnects.
 */
export async function download(
  url: string,
  path: string,
  sizeMib: number,
  signal: CancelSignal,
): Promise<void> {
  if (!/^https?:/.test(url)) throw new NodeFailure(`Cannot download '${url}': only http and https`);
  const stop = new AbortController();
  const onAbort = (): void => stop.abort(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort);
  try {
    // A compressed response would be unpacked by fetch and exceed its announced length.
    const headers = { "accept-encoding": "identity" };
    const answer = await fetch(url, { headers, signal: stop.signal });
    if (!answer.ok || answer.body === null) {
      throw new NodeFailure(`Cannot download '${url}': ${answer.status} ${answer.statusText}`);
    }
    const device = await open(path, "r+");
    try {
      await write(answer.body, device, path, sizeMib * bytesPerMib);
      await device.sync();
    } finally {
      await device.close();
    }
  } catch (error) {
    if (error instanceof NodeFailure) throw error;
    const { message, cause } = error as Error;
    const why = cause instanceof Error ? cause.message : message;
    throw new NodeFailure(`Cannot download '${url}': ${why}`);
  } finally {
    signal.removeEventListener("abort", onAbort);
    // Close the connection if the rest of the response is not needed.
    stop.abort();
  }
}

async function write(
  body: AsyncIterable<Uint8Array>,
  device: FileHandle,
  path: string,
  bytesMax: number,
): Promise<void> {
  let at = 0;
  for await (const part of body) {
    if (at + part.length > bytesMax) throw new NodeFailure("Disk image larger than the disk");
    for (let done = 0; done < part.length; ) {
      const { bytesWritten } = await device
        .write(part, done, part.length - done, at + done)
        .catch((error: unknown) => {
          throw writeFailure(path, error);
        });
      done += bytesWritten;
    }
    at += part.length;
  }
}
