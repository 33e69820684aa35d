/** Uploads: the files that a node takes from the master, and the list that extends them. */
import { configurationDirectory, dataDirectory } from "./paths.js";

/**
 * List of paths of the owner's own files, one per line. The master sends it before the files that it names; a node takes
 * these in addition to its own list of files.
 */
export const redistributionList = `${configurationDirectory}/redistribute-files`;

/** The administrator's program that brings the cluster's address up and down. */
export const masterIpScript = `${configurationDirectory}/scripts/master-ip-setup`;

/** Files of Xen's nodes. Ganeti looks for the second one in `xen` below `/etc/xen`. */
export const xenFiles: readonly string[] = [
  ...["xend-config.sxp", "xen/xl.conf", "scripts/vif-bridge"],
].map((name) => `/etc/xen/${name}`);

/** Files that every node of ours takes: those of Ganeti 3.0.2, the list, and the script that Ganeti's nodes refuse. */
export const uploadTargets: readonly string[] = [
  ...["config.data", "known_hosts", "rapi.pem", "spice.pem", "spice-ca.pem"],
  ...["rapi/users", "hmac.key", "cluster-domain-secret"],
]
  .map((name) => `${dataDirectory}/${name}`)
  .concat(
    ["vnc-cluster-password", "kvm-vif-bridge"].map((name) => `${configurationDirectory}/${name}`),
    [redistributionList, masterIpScript, "/etc/hosts", ...xenFiles],
  );

/** Paths of a list; comments begin with `#`. */
export const listedPaths = (list: string): readonly string[] =>
  list
    .split("\n")
    .map((line) => line.replace(/#.*/, "").trim())
    .filter((line) => line.startsWith("/"));

/** Files of a node that no list may name, besides all others of its data directory: they say what it may be asked for. */
const ownFiles: readonly string[] = [`${configurationDirectory}/file-storage-paths`];

/** Whether a list may name the file: an absolute path as it is, outside of the node's own data. */
export const isListable = (path: string): boolean =>
  path.startsWith("/") &&
  !path.startsWith(`${dataDirectory}/`) &&
  !ownFiles.includes(path) &&
  !/\/(\.{0,2}\/|\.{0,2}$)|\0/.test(path);
