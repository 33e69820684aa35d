/** Paths that nodes and their users know, as Ganeti is packaged. */

/** A folder for each export, with its description and the dumps of its disks. */
export const exportDirectory = "/srv/ganeti/export";

/** What the node itself has to remember of the cluster. */
export const dataDirectory = "/var/lib/ganeti";

/** What the cluster's owner sets. */
export const configurationDirectory = "/etc/ganeti";

/** A folder for each key that is made for transfers. */
export const keyDirectory = "/var/run/ganeti/crypto";

/** A link for each disk of an instance that runs: `NAME:INDEX`. */
export const diskLinkDirectory = "/var/run/ganeti/instance-disks";
