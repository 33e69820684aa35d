/** Folders of a virtual host for Ganeti's own programs: with two variables they find our server. */
import { chmodSync, chownSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Snapshot } from "@ganeti-ts/config";

/**
 * Ganeti's programs put `GANETI_ROOTDIR` before each of their paths, and use its last part as
 * the name of their host, which `GANETI_HOSTNAME` must repeat.
 */
export interface VirtualRoot {
  /** Value of `GANETI_ROOTDIR`. */
  readonly path: string;
  /** Value of `GANETI_HOSTNAME`: the name of the master node. */
  readonly hostName: string;
  /** Sockets, among them `ganeti-query`. */
  readonly sockets: string;
  /** Socket that the programs use for the local protocol. */
  readonly luxiSocket: string;
  /** Ganeti's data directory, with the ssconf files. */
  readonly data: string;
  /** Ganeti's run directory, with pid files. */
  readonly run: string;
  readonly logs: string;
  readonly locks: string;
}

/** Longest path of a socket in bytes: `sun_path` of Linux without its final zero. */
const socketBytesMax = 107;

/** Paths below `dataPath` for the host `hostName`; nothing is made. */
export function virtualRoot(dataPath: string, hostName: string): VirtualRoot {
  const path = join(resolve(dataPath), "vroot", hostName);
  const run = join(path, "var/run/ganeti");
  const sockets = join(run, "socket");
  return {
    path,
    hostName,
    run,
    sockets,
    luxiSocket: join(sockets, "ganeti-query"),
    data: join(path, "var/lib/ganeti"),
    logs: join(path, "var/log/ganeti"),
    locks: join(path, "var/lock"),
  };
}

/** Paths below `dataPath` for the name of the master node. */
export function rootOfMaster(dataPath: string, now: Snapshot): VirtualRoot {
  const { master_node, cluster_name } = now.cluster;
  return virtualRoot(dataPath, now.node(master_node)?.name ?? cluster_name);
}

/** Creates missing folders, accessible to their owner and the members of `group`. */
export function makeVirtualRoot(root: VirtualRoot, group?: number): void {
  for (const folder of [root.sockets, root.data, root.logs, root.locks]) {
    mkdirSync(folder, { recursive: true, mode: 0o750 });
  }
  if (group === undefined) return;
  for (let folder = root.sockets; ; folder = join(folder, "..")) {
    chownSync(folder, -1, group);
    chmodSync(folder, 0o750);
    if (folder === join(root.path, "..")) break;
  }
}

/** Reason why a path is too long for a socket, with both lengths; undefined if it is not. */
export function socketPathFault(path: string): string | undefined {
  const bytes = Buffer.byteLength(path);
  if (bytes <= socketBytesMax) return undefined;
  return `the path of the local socket has ${bytes} bytes, at most ${socketBytesMax} are possible: ${path}`;
}
