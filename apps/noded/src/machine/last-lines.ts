/** Last lines of logs that programs write themselves, for error messages about these programs. */
import { open, stat } from "node:fs/promises";
import { safeText } from "../host/safe-text.js";

const tailBytes = 4096;
const tailLines = 20;

/** The last 20 lines within the last 4 KiB of a log; none if it cannot be read. */
export async function lastLines(path: string): Promise<readonly string[]> {
  const file = await open(path, "r").catch(() => null);
  if (file === null) return [];
  try {
    const { size } = await file.stat();
    const start = Math.max(0, size - tailBytes);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(tailBytes), 0, tailBytes, start);
    const lines = buffer.toString("utf8", 0, bytesRead).replace(/\n$/, "").split("\n");
    return lines.slice(-tailLines).map(safeText);
  } finally {
    await file.close();
  }
}

/**
 * Called before the start of a program that truncates its log. The returned function reads the last lines that the program
 * has written; none if it has not touched the log.
 */
export async function followedLog(path: string): Promise<() => Promise<readonly string[]>> {
  const changedAt = (): Promise<bigint | undefined> =>
    stat(path, { bigint: true }).then(
      ({ mtimeNs }) => mtimeNs,
      () => undefined,
    );
  const before = await changedAt();
  return async () => {
    if ((await changedAt()) === before) return [];
    return (await lastLines(path)).filter((line) => line !== "");
  };
}
