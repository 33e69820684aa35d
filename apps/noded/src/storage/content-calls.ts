/** Calls that write the content of block devices. */
import { type FileHandle, open, stat } from "node:fs/promises";
import type { DiskOnNode } from "@ganeti-ts/node-calls";
import { bytesPerMib, type CancelSignal } from "@ganeti-ts/protocol";
import type { NodeContext } from "../context.js";
import { NodeFailure, writeFailure } from "../failure.js";
import { handlers } from "../handlers.js";
import { located } from "../machine/paths.js";
import { type Command, commandText, outputOf, reasonOf, succeeded } from "../machine/runner.js";
import type { DiskTypes } from "./disk-types.js";
import { limitsMs, withinLimits } from "./programs.js";

const blockSize = `bs=${1024 * 1024}`;

export const contentCalls = (context: NodeContext, types: DiskTypes) =>
  handlers({
    async blockdev_wipe({ disk, offsetMib, sizeMib }) {
      const path = await pathToWrite(types, disk, "Cannot wipe");
      if (offsetMib < 0) throw new NodeFailure("Negative offset");
      if (sizeMib < 0) throw new NodeFailure("Negative size");
      if (offsetMib > disk.size) throw new NodeFailure("Wipe offset is bigger than device size");
      if (offsetMib + sizeMib > disk.size) {
        throw new NodeFailure("Wipe offset and size are bigger than device size");
      }
      const source = ["if=/dev/zero", `seek=${offsetMib}`, blockSize];
      await dump(context, [...source, ...target(path), `count=${sizeMib}`]);
    },

    async blockdev_image({ disk, image, sizeMib }, signal) {
      const path = await pathToWrite(types, disk, "Cannot image");
      if (sizeMib < 0) throw new NodeFailure("Negative size");
      if (sizeMib > disk.size) throw new NodeFailure("Image size is bigger than device size");
      if (isUrl(image)) {
        await download(image, path, sizeMib, signal);
        return;
      }
      const file = located(context.paths, image);
      if (!(await stat(file).catch(() => null))?.isFile()) {
        throw new NodeFailure(`Image '${image}' not found`);
      }
      const source = [`if=${file}`, "seek=0", blockSize];
      await dump(context, [...source, ...target(path), `count=${sizeMib}`]);
    },

    async blockdev_convert({ source, target: to }) {
      const from = await pathToWrite(types, source, "Cannot copy from");
      const path = await pathToWrite(types, to, "Cannot copy to");
      const words = [`if=${from}`, blockSize, `count=${source.size}`, ...target(path)];
      await dump(context, words, "Disk conversion command");
    },
  });

const isUrl = (image: string): boolean => /^(https?|ftps?):\/\//.test(image);

/** Output options of dd. Only devices are written with direct I/O, because not every file system supports it for files. */
const target = (path: string): readonly string[] => [
  `of=${path}`,
  ...(path.startsWith("/dev/") ? ["oflag=direct"] : []),
  // Without notrunc a disk in a file would be truncated after the written part.
  "conv=notrunc,fsync",
];

async function pathToWrite(types: DiskTypes, disk: DiskOnNode, what: string): Promise<string> {
  const title = disk.iv_name ?? disk.uuid;
  const device = await types(disk).find(disk);
  if (device === null) throw new NodeFailure(`${what} device ${title}: device not found`);
  if (device.path === null) {
    throw new NodeFailure(`${what} device ${title}: no block device on this node`);
  }
  return device.path;
}

async function dump(
  { run }: NodeContext,
  args: readonly string[],
  what = "Dump command",
): Promise<void> {
  const command: Command = {
    program: "dd",
    args,
    timeoutMs: limitsMs.content,
    endsWithDaemon: true,
  };
  const ended = await withinLimits(run, command);
  if (succeeded(ended)) return;
  throw new NodeFailure(
    `${what} '${commandText(command)}' exited with error: ${reasonOf(ended)}; output: ${outputOf(ended)}`,
  );
}

/**
 * Writes the content of `url` to the beginning of the device or file at `path`. The content is streamed and not buffered;
 * a content larger than `sizeMib` is a failure. The download stops when the caller disconnects.
 */
async function download(
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
