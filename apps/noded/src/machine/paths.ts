/** NodePaths: directories and programs of a node, as in Debian's Ganeti 3.0.2. */
import { join } from "node:path";
import {
  configurationDirectory,
  dataDirectory,
  exportDirectory,
  keyDirectory,
} from "@ganeti-ts/node-calls";
import { shipped } from "./shipped.js";

/** Absolute paths; those below `root` include it. */
export interface NodePaths {
  /** Prefix of all paths; empty unless the node is virtual or a test. */
  readonly root: string;
  /**
   * Whether the node belongs to one of Ganeti's virtual clusters, where the root folders of all nodes are siblings named
   * after the nodes: paths on the wire have a prefix, and programs on other nodes need their root in the environment.
   */
  readonly isVirtual: boolean;
  /** Data that nodes receive from the master: ssconf files, certificates, queue. */
  readonly data: string;
  /** Sockets, links to disks, and other state that is lost at a reboot. */
  readonly run: string;
  readonly log: string;
  /** Settings of the administrator, e.g. allowed paths and scripts for interfaces. */
  readonly conf: string;
  /** Folders of Ganeti's programs (`daemon-util`, `import-export`), searched in this order. */
  readonly lib: readonly string[];
  readonly lock: string;
  readonly exports: string;
  /** Contains a folder for each key that is created for transfers. */
  readonly crypto: string;
  /** Hooks, with a directory for each phase of each operation. */
  readonly hooks: string;
  /** The kernel's list of interfaces, the same for all roots. */
  readonly interfaces: string;
  /** The kernel's process and module information, the same for all roots. */
  readonly proc: string;
  readonly modules: string;
  /** Searched in this order; the last one has the definitions shipped with the daemon, without a root. */
  readonly osSearch: readonly string[];
  readonly extStorageSearch: readonly string[];
  readonly allocatorSearch: readonly string[];
}

/**
 * Paths of one node, all with the prefix `root`, which tests and virtual clusters use. Programs and definitions are searched
 * without the prefix as well, because the virtual nodes of a machine share those that are installed on it.
 */
export function nodePaths(root = "", isVirtual = false): NodePaths {
  const at = (path: string): string => (root === "" ? path : join(root, path));
  const shared = (...paths: readonly string[]): readonly string[] =>
    root === "" ? paths : [...paths.map(at), ...paths];
  const conf = at(configurationDirectory);
  return {
    root,
    isVirtual,
    data: at(dataDirectory),
    run: at("/var/run/ganeti"),
    log: at("/var/log/ganeti"),
    conf,
    lib: shared("/usr/lib/ganeti"),
    lock: at("/var/lock"),
    exports: at(exportDirectory),
    crypto: at(keyDirectory),
    hooks: join(conf, "hooks"),
    interfaces: "/sys/class/net",
    proc: "/proc",
    modules: "/sys/module",
    osSearch: shared(
      "/srv/ganeti/os",
      "/usr/local/lib/ganeti/os",
      "/usr/lib/ganeti/os",
      "/usr/share/ganeti/os",
    ).concat(root === "" ? [shipped("os-definitions")] : []),
    extStorageSearch: shared(
      "/srv/ganeti/extstorage",
      "/usr/local/lib/ganeti/extstorage",
      "/usr/lib/ganeti/extstorage",
      "/usr/share/ganeti/extstorage",
    ),
    allocatorSearch: shared("/usr/local/lib/ganeti/iallocators", "/usr/lib/ganeti/iallocators"),
  };
}

/** Path on this machine of a path from a caller: the root is added unless the path has it already. */
export const located = ({ root }: Pick<NodePaths, "root">, path: string): string =>
  root === "" || path === root || path.startsWith(`${root}/`) ? path : `${root}${path}`;
