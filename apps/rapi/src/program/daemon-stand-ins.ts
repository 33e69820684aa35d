/** Stand-ins for Ganeti's daemons, as far as its watcher looks for them: pid files, and the probe of wconfd. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createEchoServer } from "@ganeti-ts/luxi";
import { StartError } from "./start-error.js";
import { socketPathFault, type VirtualRoot } from "./virtual-root.js";

/**
 * Daemons that the watcher starts unless their pid file names a process that lives. They are parts of our
 * server, or have no duty on a cluster of simulated nodes.
 */
export const stoodInDaemons: readonly string[] = [
  ...["ganeti-noded", "ganeti-confd", "ganeti-mond", "ganeti-kvmd"],
  ...["ganeti-luxid", "ganeti-rapi", "ganeti-wconfd"],
];

export interface DaemonStandIns {
  /** Removes the pid files that are still ours, and the socket. */
  close(graceMs: number): Promise<void>;
}

/**
 * Below a virtual root, so that daemons of the machine itself are not concerned.
 * @throws StartError if the socket cannot be made
 */
export async function standInForDaemons(root: VirtualRoot): Promise<DaemonStandIns> {
  const path = join(root.sockets, "ganeti-wconfd");
  const echo = createEchoServer();
  try {
    // Ganeti's watcher could not connect either.
    if (socketPathFault(path) === undefined) await echo.listen({ path });
  } catch (error) {
    throw new StartError(`cannot listen on ${path}: ${(error as Error).message}`, { cause: error });
  }
  const own = `${process.pid}\n`;
  const files = stoodInDaemons.map((name) => join(root.run, `${name}.pid`));
  for (const file of files) writeFileSync(file, own, { mode: 0o644 });
  return {
    async close(graceMs) {
      for (const file of files) {
        if (textOf(file) === own) rmSync(file, { force: true });
      }
      await echo.close({ graceMs });
    },
  };
}

/** Undefined where the file is gone. */
function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
