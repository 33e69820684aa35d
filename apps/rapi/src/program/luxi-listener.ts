/** Listener of the local protocol, with the folders in which Ganeti's own programs look for it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Cluster } from "@ganeti-ts/cluster";
import type { AccessStore } from "@ganeti-ts/job-queue";
import { createLuxiServer } from "@ganeti-ts/luxi";
import { systemClock } from "@ganeti-ts/protocol";
import { actingAs } from "../audit/acting.js";
import { localActor } from "../audit/recorder.js";
import type { Log } from "../log.js";
import { luxiHandler } from "../luxi/handler.js";
import { standInForDaemons } from "./daemon-stand-ins.js";
import type { Options } from "./options.js";
import { writePauseFile } from "./pause-file.js";
import { keepSsconfFiles } from "./ssconf-files.js";
import { StartError } from "./start-error.js";
import {
  makeVirtualRoot,
  rootOfMaster,
  socketPathFault,
  type VirtualRoot,
} from "./virtual-root.js";

export interface LuxiListening {
  /** Path of the socket. */
  readonly path: string;
  readonly root: VirtualRoot;
  /** Answers pending requests for at most `graceMs`, and ends waits for jobs. */
  close(graceMs: number): Promise<void>;
}

export interface LuxiParts {
  readonly cluster: Cluster;
  readonly log: Log;
  /** Record of clients' actions; absent if they cannot change anything. */
  readonly access?: AccessStore;
}

/**
 * Listens on the socket in `options`, otherwise on the one that Ganeti's programs use in the virtual root of the master
 * node, or, if that path is too long, in the data directory. The ssconf files are written before the socket exists.
 * @throws StartError
 */
export async function listenForLuxi(
  options: Pick<Options, "luxiPath" | "luxiGroup">,
  dataPath: string,
  { cluster, log, access }: LuxiParts,
): Promise<LuxiListening> {
  const root = rootOfMaster(dataPath, cluster.snapshot());
  const path = options.luxiPath ?? defaultPath(root, dataPath, log);
  const fault = socketPathFault(path);
  if (fault !== undefined) {
    throw new StartError(`${fault}; use a shorter --data-dir, or name a path with --luxi`);
  }
  const group = options.luxiGroup === undefined ? undefined : groupId(options.luxiGroup);
  makeVirtualRoot(root, group);
  writePauseFile(root.data, await cluster.objects.watcherPause());
  const stopFiles = keepSsconfFiles(root.data, {
    cluster,
    clock: systemClock,
    failed: (error) => log.error({ error }, "ssconf files could not be written"),
  });
  const own = access && actingAs(localActor, { ...cluster, access, log, clock: systemClock });
  const server = createLuxiServer({
    handler: luxiHandler({ ...cluster, ...own, clock: systemClock }),
    onFault: (error, method) =>
      log.error({ error, method }, "request over the local protocol failed"),
  });
  const standIns = await standInForDaemons(root);
  try {
    await server.listen({ path, ...(group !== undefined && { group, mode: 0o660 }) });
  } catch (error) {
    stopFiles();
    await standIns.close(0);
    throw new StartError(`cannot listen on ${path}: ${(error as Error).message}`, { cause: error });
  }
  return {
    path,
    root,
    async close(graceMs) {
      await Promise.all([server.close({ graceMs }), standIns.close(graceMs)]);
      stopFiles();
    },
  };
}

function defaultPath({ luxiSocket }: VirtualRoot, dataPath: string, log: Log): string {
  const fault = socketPathFault(luxiSocket);
  if (fault === undefined) return luxiSocket;
  const path = join(dataPath, "luxi.sock");
  log.warn(
    { path },
    `${fault}; Ganeti's own programs find this server only with a shorter --data-dir`,
  );
  return path;
}

/** The number of a group of this machine, by name or number. @throws StartError */
function groupId(name: string): number {
  if (/^\d+$/.test(name)) return Number(name);
  for (const line of readFileSync("/etc/group", "utf8").split("\n")) {
    const [known, , id] = line.split(":");
    if (known === name && id !== undefined) return Number(id);
  }
  throw new StartError(`--luxi-group: there is no group ${name} in /etc/group`);
}
