/** The pid file of the daemon, locked as long as it runs. */
import { existsSync, ftruncateSync, mkdirSync, readFileSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { NodeFailure } from "../failure.js";
import { lockFile } from "../host/file-lock.js";
import type { NodePaths } from "../machine/paths.js";
import type { Runner } from "../machine/runner.js";

/**
 * Locks the pid file; the returned function releases it. Rejects with `NodeFailure` if this daemon or Ganeti's runs already: two
 * daemons would work on the same disks and instances.
 */
export async function takePidFile(
  run: Runner,
  paths: Pick<NodePaths, "run">,
  pid: number,
): Promise<() => void> {
  mkdirSync(paths.run, { recursive: true, mode: 0o755 });
  const ganeti = join(paths.run, "ganeti-noded.pid");
  if (existsSync(ganeti)) {
    const free = await lockFile(run, ganeti, 0);
    if (free === null) {
      throw new NodeFailure(`Ganeti's own node daemon is running: PID file '${ganeti}' is locked`);
    }
    free.release();
  }
  const path = join(paths.run, "ganeti-ts-noded.pid");
  const lock = await lockFile(run, path, 0);
  if (lock === null) {
    const other = readFileSync(path, "utf8").trim();
    throw new NodeFailure(
      `PID file '${path}' is already locked by another process, PID read from file is ${other}`,
    );
  }
  ftruncateSync(lock.descriptor);
  writeSync(lock.descriptor, `${pid}\n`);
  return () => {
    rmSync(path, { force: true });
    lock.release();
  };
}
