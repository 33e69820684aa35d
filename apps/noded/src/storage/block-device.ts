/** Device files of block devices. */
import { stat } from "node:fs/promises";
import type { Device } from "./disk-type.js";

/** The block device at `path`; null if there is none. */
export async function blockDevice(path: string): Promise<Device | null> {
  const found = await stat(path).catch(() => null);
  if (found === null || !found.isBlockDevice()) return null;
  const { rdev } = found;
  // Encoding of both numbers in the lower 32 bits on Linux.
  const major = (rdev >>> 8) & 0xfff;
  const minor = (rdev & 0xff) | ((rdev >>> 12) & 0xfff00);
  return { path, major, minor, uri: null };
}

/** Whether the hypervisor opens the disk itself. */
export const isUserspace = (
  params: Readonly<Record<string, unknown>> | null | undefined,
): boolean => params?.access === "userspace";
