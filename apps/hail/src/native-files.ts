/**
 * Files and standard streams in the executable of hail, which Bun runs. The message is read and the answer is written
 * by functions of Bun: its `node:fs` takes a tenth of the time of a small request to evaluate. The build uses this
 * module in place of `system-files.ts`, and evaluates that one only if anything else is needed.
 */
import { readStdin, readFile as readWhole, stderr as tell, writeFile } from "./system-files.js";

export { readStdin, writeFile };

/** The functions of Bun that are used. */
declare const Bun: {
  file(path: string): { readonly size: number };
  mmap(path: string): Uint8Array;
  write(destination: unknown, text: string): Promise<number>;
  readonly stdout: unknown;
};

/** Larger files are read at least as fast by `node:fs`. */
const sizeMax = 2 ** 20;

export function readFile(path: string): Uint8Array {
  return smallFile(path) ?? readWhole(path);
}

/**
 * The bytes of a small regular file; undefined for others, and if the file cannot be read. The size of a pipe is
 * infinite, that of a missing file 0.
 */
export function smallFile(path: string): Uint8Array | undefined {
  const { size } = Bun.file(path);
  if (!(size > 0 && size <= sizeMax)) return undefined;
  try {
    // A copy, because the mapped bytes would change with the file.
    return Bun.mmap(path).slice();
  } catch {
    return undefined; // `node:fs` gives the error
  }
}

/**
 * Text for a pipe that has room is written at once. The stream is not made non-blocking, as Bun's writers and
 * `process.stdout` would: other programs may share it.
 */
export async function stdout(text: string): Promise<void> {
  await Bun.write(Bun.stdout, text);
}

export function stderr(text: string): void {
  if (text !== "") tell(text);
}
