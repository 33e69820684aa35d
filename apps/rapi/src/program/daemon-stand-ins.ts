/** Stand-ins for Ganeti's daemons, as far as its watcher checks them: pid files, and the probe of wconfd. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createEchoServer } from "@ganeti-ts/luxi";
import { StartError } from "./start-error.js";
import { socketPathFault, type VirtualRoot } from "./virtual-root.js";

/**
 * Daemons that the watcher starts unless their pid file names a living process. They are parts of our
 * server, or have no task on a cluster of simulated nodes.
 */
export const stoodInDaemons: readonly string[] = [
  ...["ganeti-noded", "ganeti-confd", "ganeti-mond", "ganeti-kvmd"],
  ...["ganeti-luxid", "ganeti-rapi", "ganeti-wconfd"],
];

export interface DaemonStandIns {
  /** Removes the socket, and the pid files that still contain our number. */
  close(graceMs: number): Promise<void>;
}

/**
 * Works below a virtual root, so that daemons of the machine itself are not affected.
 * @throws StartError if the socket cannot be made
 */
export async function standInForDaemons(root: VirtualRoot): Promise<DaemonStandIns> {
  const path = join(root.sockets, "ganeti-wconfd");
  const echo = createEchoServer();
  try {
    // Ganeti's watcher could not connect to a longer path either.
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

/** Undefined if the file does not exist. */
function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
