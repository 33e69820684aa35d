/** Directories and programs of a node, with the values of Debian's Ganeti 3.0.2. */
import { join } from "node:path";
import {
  configurationDirectory,
  dataDirectory,
  exportDirectory,
  keyDirectory,
} from "@ganeti-ts/node-calls";
import { shipped } from "./shipped.js";

/** Absolute paths; those below `root` carry it already. */
export interface NodePaths {
  /** Put in front of all paths; empty on a machine of its own. */
  readonly root: string;
  /**
   * Whether the node is one of Ganeti's virtual clusters, whose root folders lie beside each other under the names of the
   * nodes: paths on the wire carry a prefix, and programs on other nodes need their root in the environment.
   */
  readonly isVirtual: boolean;
  /** Configuration as nodes get it: ssconf files, certificates, queue. */
  readonly data: string;
  /** Sockets, links to disks, state that ends with the machine. */
  readonly run: string;
  readonly log: string;
  /** Settings of the administrator: hooks' neighbours, allowed paths, scripts for interfaces. */
  readonly conf: string;
  /** Folders of Ganeti's programs (`daemon-util`, `import-export`), searched in this order. */
  readonly lib: readonly string[];
  readonly lock: string;
  readonly exports: string;
  /** A folder for each key that is made for transfers. */
  readonly crypto: string;
  /** Hooks: a directory for each phase of each operation. */
  readonly hooks: string;
  /** The kernel's list of interfaces, which lies below no root. */
  readonly interfaces: string;
  /** The kernel's list of its state and of its modules, which lie below no root. */
  readonly proc: string;
  readonly modules: string;
  /** Searched in this order; the last one has the definitions shipped with the daemon, without a root. */
  readonly osSearch: readonly string[];
  readonly extStorageSearch: readonly string[];
  readonly allocatorSearch: readonly string[];
}

/**
 * Paths of one machine. `root` is put in front of all of them: for tests and virtual clusters. Programs and definitions are
 * also found without it, as the virtual nodes of a machine share those that are installed on it.
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

/** A path as callers give it, on this machine: below the root, where it may lie already. */
export const located = ({ root }: Pick<NodePaths, "root">, path: string): string =>
  root === "" || path === root || path.startsWith(`${root}/`) ? path : `${root}${path}`;
