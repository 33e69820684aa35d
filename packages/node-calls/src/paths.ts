/** Table of the paths shared by nodes and their users, with the values of Debian's package. */

/** A folder for each export, with its description and the dumps of its disks. */
export const exportDirectory = "/var/lib/ganeti/export";

/** Disks in files of a node, unless the cluster names another directory. */
export const fileStorageDirectory = "/srv/ganeti/file-storage";

/** The same for files that all nodes share. */
export const sharedFileStorageDirectory = "/srv/ganeti/shared-file-storage";

/** Search path for allocator programs; the first program with the name is used. */
export const allocatorSearchPath: readonly string[] = ["/usr/lib/ganeti/iallocators"];

/**
 * Directories in which, and below which, no disks in files may be. Source: Ganeti, `gnt-cluster
 * verify`.
 */
export const forbiddenStorageDirectories: readonly string[] = [
  ...["boot", "dev", "etc", "home", "proc", "root", "sys"].map((name) => `/${name}`),
  ...["", "/usr", "/usr/local"].flatMap((prefix) =>
    ["bin", "lib", "lib32", "lib64", "sbin"].map((name) => `${prefix}/${name}`),
  ),
];

/** Whether the path is forbidden for disks in files, whatever dots and slashes it is written with. */
export function isForbiddenStorage(path: string): boolean {
  const steps: string[] = [];
  for (const step of path.split("/")) {
    if (step === "..") steps.pop();
    else if (step !== "" && step !== ".") steps.push(step);
  }
  const normal = `/${steps.join("/")}/`;
  return forbiddenStorageDirectories.some((one) => normal.startsWith(`${one}/`));
}

/** Data of the cluster stored by the node itself. */
export const dataDirectory = "/var/lib/ganeti";

/** Configuration by the cluster's owner. */
export const configurationDirectory = "/etc/ganeti";

/** Parent of one folder for each key made for transfers. */
export const keyDirectory = "/var/run/ganeti/crypto";

/** Links to the disks of running instances: `NAME:INDEX`. */
export const diskLinkDirectory = "/var/run/ganeti/instance-disks";
