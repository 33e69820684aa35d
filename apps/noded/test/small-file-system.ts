/** A small file system in memory, mounted on a directory for a test; requires root. */
import { execFileSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, readdirSync, rmSync, writeSync } from "node:fs";
import { join, relative } from "node:path";
import { onTestFinished } from "vitest";

/** Reason why nothing can be mounted here; undefined if it can. */
export function mountsUnavailable(): string | undefined {
  if (process.getuid?.() !== 0) return "these tests need root";
  try {
    // The mount is in its own namespace, which ends with the program.
    execFileSync("unshare", ["-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"], { stdio: "ignore" });
    return undefined;
  } catch {
    return "nothing can be mounted here";
  }
}

export interface SmallFileSystem {
  /** Fills the file system to the last byte. */
  fill(): void;
  /** Makes room again. */
  empty(): void;
  /** Relative paths of all files, except those that fill the file system. */
  files(): readonly string[];
}

const ballast = ".ballast";

/** It is unmounted at the end of the test. */
export function smallFileSystem(directory: string, sizeKib: number): SmallFileSystem {
  mkdirSync(directory, { recursive: true });
  const options = `size=${sizeKib}k,nr_inodes=1000,mode=0755`;
  execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", directory]);
  onTestFinished(() => void execFileSync("umount", ["--lazy", directory]));
  const path = join(directory, ballast);
  return {
    fill() {
      const file = openSync(path, "a");
      try {
        for (;;) writeSync(file, Buffer.alloc(4096));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
      } finally {
        closeSync(file);
      }
    },
    empty: () => rmSync(path, { force: true }),
    files: () =>
      readdirSync(directory, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && entry.name !== ballast)
        .map(({ parentPath, name }) => relative(directory, join(parentPath, name)))
        .sort(),
  };
}
