/** Paths that nodes and their users know: the one table, with the values of Debian's package. */

/** A folder for each export, with its description and the dumps of its disks. */
export const exportDirectory = "/var/lib/ganeti/export";

/** Disks in files of a node, unless the cluster names another directory. */
export const fileStorageDirectory = "/srv/ganeti/file-storage";

/** The same for files that all nodes share. */
export const sharedFileStorageDirectory = "/srv/ganeti/shared-file-storage";

/** Directories with programs that are allocators; the first one that has a program of the name counts. */
export const allocatorSearchPath: readonly string[] = ["/usr/lib/ganeti/iallocators"];

/** Directories below which, and themselves, no disks in files may lie. Source: Ganeti, `gnt-cluster verify`. */
export const forbiddenStorageDirectories: readonly string[] = [
  ...["boot", "dev", "etc", "home", "proc", "root", "sys"].map((name) => `/${name}`),
  ...["", "/usr", "/usr/local"].flatMap((prefix) =>
    ["bin", "lib", "lib32", "lib64", "sbin"].map((name) => `${prefix}/${name}`),
  ),
];

/** Whether no disks in files may lie there. */
export const isForbiddenStorage = (path: string): boolean =>
  forbiddenStorageDirectories.some((one) => `${path}/`.startsWith(`${one}/`));

/** What the node itself has to remember of the cluster. */
export const dataDirectory = "/var/lib/ganeti";

/** What the cluster's owner sets. */
export const configurationDirectory = "/etc/ganeti";

/** A folder for each key that is made for transfers. */
export const keyDirectory = "/var/run/ganeti/crypto";

/** A link for each disk of an instance that runs: `NAME:INDEX`. */
export const diskLinkDirectory = "/var/run/ganeti/instance-disks";
