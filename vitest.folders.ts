// The folder of temporary files is one in memory where there is room for it: tests make tens of thousands of small files, and on
// a disk these take a fifth of their processor time. `TMPDIR` names another one.
import { chmodSync, mkdtempSync, rmSync, statfsSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

const memory = "/dev/shm";

/** Databases of tests take some 100 MB. */
const bytesMin = 2 ** 31;

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= bytesMin;
  } catch {
    return false;
  }
}

/**
 * Sets `TMPDIR` for this process and those that it starts; the folder goes when the process exits. `GANETI_TS_RUN` names it for
 * what the processes of a run make once and copy.
 */
export function useMemoryForFolders(): void {
  if (process.env.TMPDIR !== undefined || !hasRoom(memory)) return;
  const folder = mkdtempSync(join(memory, "ganeti-ts-"));
  // Servers of databases have accounts of their own.
  chmodSync(folder, 0o1777);
  // Paths of disks must not begin with /dev, so tests see the folder by another name.
  const link = join(tmpdir(), basename(folder));
  symlinkSync(folder, link);
  process.env.TMPDIR = link;
  process.env.GANETI_TS_RUN = link;
  process.on("exit", () => {
    rmSync(link);
    rmSync(folder, { recursive: true, force: true });
  });
}
