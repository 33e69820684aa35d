/** Options of gnt-cluster for creating and changing a cluster. */
import type { Option } from "../command.js";
import { flag, integer, keyValues, text, yesNo } from "./kinds.js";
import {
  backendParameters,
  diskParameters,
  hypervisorParameters,
  nicParameters,
  nodeParameters,
  states,
} from "./parameters.js";

const uidRanges = "UIDS";

/** Options of both `init` and `modify`. */
export const clusterValues: readonly Option[] = [
  backendParameters,
  integer("candidate-pool-size", "Wanted number of master candidates", { short: "C" }),
  text(
    "enabled-hypervisors",
    "NAMES",
    "Hypervisors, separated by commas; the first is the default",
  ),
  text(
    "enabled-disk-templates",
    "NAMES",
    "Disk templates, separated by commas; the first is the default",
  ),
  text("file-storage-dir", "DIR", "Directory for disks in files"),
  text("shared-file-storage-dir", "DIR", "Directory for disks in shared files"),
  hypervisorParameters,
  text("mac-prefix", "XX:XX:XX", "First three octets of MAC addresses", { short: "m" }),
  text("master-netdev", "NETDEV", "Network interface for the master's address"),
  text("master-netmask", "BITS", "Netmask of the master's address, in bits"),
  nicParameters,
  text("vg-name", "VG", "Volume group of the nodes; empty for none"),
  yesNo("maintain-node-health", "Clean up nodes: stop instances that should not run there"),
  text("uid-pool", uidRanges, "User ids under which guests may run: 4000-4019,5000"),
  text("drbd-usermode-helper", "PATH", "Helper program that DRBD calls"),
  text(
    "default-iallocator",
    "NAME",
    "Default allocator; several, separated by commas, are tried in order",
    { short: "I", completes: "allocator" },
  ),
  text(
    "default-iallocator-for",
    "REQUEST=NAMES",
    "Allocators for one type of request, tried in order: relocate=hail,mine; no name for none; repeatable",
    { repeatable: true, completes: "text" },
  ),
  keyValues("default-iallocator-params", "K=V,…", "Parameters of the default allocator"),
  yesNo("prealloc-wipe-disks", "Wipe new disks before instances use them"),
  nodeParameters,
  yesNo("use-external-mip-script", "Set up the master's address with a script of your own"),
  diskParameters,
  ...states,
  text("install-image", "PATH|URL", "Image of the helper VM that installs operating systems"),
  text("zeroing-image", "PATH|URL", "Image of the helper VM that zeroes disks"),
  text(
    "compression-tools",
    "NAMES",
    "Allowed compression programs, separated by commas; empty for the default",
  ),
  yesNo("user-shutdown", "Whether a guest that shuts itself down stays down"),
];

/** Options of `init` only. */
export const newClusterValues: readonly Option[] = [
  flag("no-etc-hosts", "Do not change /etc/hosts"),
  flag("no-ssh-init", "Do not set up SSH keys"),
  text("secondary-ip", "ADDRESS", "Address of the master for replication", { short: "s" }),
  text("primary-ip-version", "4|6", "IP version of the nodes' addresses"),
  text("gluster-storage-dir", "DIR", "Mount directory of Gluster file systems"),
  integer("ssh-key-bits", "Length of SSH keys in bits"),
  text("ssh-key-type", "rsa|dsa|ecdsa", "Type of SSH keys", { choices: ["rsa", "dsa", "ecdsa"] }),
];

/** Our own options: the place of the cluster on this machine. */
export const newClusterPlace: readonly Option[] = [
  flag("simulated", "Use simulated nodes, stored in the data directory"),
  integer("nodes", "Number of simulated nodes (default 1)"),
  text("primary-ip", "ADDRESS", "Address of the first node (default 192.0.2.1)"),
  text(
    "api-user",
    "NAME[:RIGHTS]",
    "Add a user of the remote API with rights read, write (default) or full, and show the password",
  ),
  flag("no-start", "Create the cluster without starting its server"),
  integer("port", "Port of the server on 127.0.0.1 (default 5080; 0 for any free one)"),
];

/** Options of `modify` only. */
export const changedClusterValues: readonly Option[] = [
  integer("max-running-jobs", "Maximum number of running jobs"),
  integer("max-tracked-jobs", "Maximum number of jobs tracked at the same time"),
  text("instance-communication-network", "NETWORK", "Network between guests and nodes"),
  text("add-uids", uidRanges, "User ids to add to the pool"),
  text("remove-uids", uidRanges, "User ids to remove from the pool"),
  text(
    "reserved-lvs",
    "REGEXES",
    "Patterns for volumes that the cluster ignores, separated by commas; empty for none",
  ),
  yesNo("modify-etc-hosts", "Keep /etc/hosts of the nodes up to date"),
  keyValues("enabled-data-collectors", "NAME=BOOL,…", "Whether each data collector is enabled"),
  keyValues("data-collector-interval", "NAME=SECONDS,…", "Interval of each data collector"),
];

/** Findings of verification, by Ganeti's names. */
export const errorCodes: readonly string[] = [
  ...["ECLUSTERCERT", "ECLUSTERCFG", "ECLUSTERCLIENTCERT", "ECLUSTERDANGLINGINST"],
  ...["ECLUSTERDANGLINGNODES", "ECLUSTERFILECHECK", "EEXTAGS", "EGROUPDIFFERENTPVSIZE"],
  ...["EINSTANCEBADNODE", "EINSTANCEDOWN", "EINSTANCEFAULTYDISK", "EINSTANCELAYOUT"],
  ...["EINSTANCEMISSINGCFGPARAMETER", "EINSTANCEMISSINGDISK", "EINSTANCEPOLICY"],
  ...["EINSTANCESPLITGROUPS", "EINSTANCEUNSUITABLENODE", "EINSTANCEWRONGNODE"],
  ...["ENODEDRBD", "ENODEDRBDHELPER", "ENODEDRBDVERSION", "ENODEFILECHECK"],
  ...["ENODEFILESTORAGEPATHS", "ENODEFILESTORAGEPATHUNUSABLE"],
  ...["ENODEGLUSTERSTORAGEPATHUNUSABLE", "ENODESHAREDFILESTORAGEPATHUNUSABLE"],
  ...["ENODEHOOKS", "ENODEHV", "ENODELVM", "ENODEN1", "ENODENET", "ENODEOOBPATH"],
  ...["ENODEORPHANINSTANCE", "ENODEORPHANLV", "ENODEOS", "ENODERPC", "ENODESETUP"],
  ...["ENODESSH", "ENODETIME", "ENODEUSERSCRIPTS", "ENODEVERSION"],
];
