/** Options of gnt-cluster for creating and changing a cluster. */
import type { Option } from "../command.js";
import {
  backendParameters,
  diskParameters,
  hypervisorParameters,
  nicParameters,
  nodeParameters,
  states,
} from "./parameters.js";

const text = (name: string, placeholder: string, help: string): Option => ({
  name,
  type: "text",
  placeholder,
  help,
});
const yesNo = (name: string, help: string): Option => ({
  name,
  type: "yes-no",
  placeholder: "yes|no",
  help,
});
const integer = (name: string, help: string): Option => ({
  name,
  type: "integer",
  placeholder: "N",
  help,
});

const uidRanges = "UIDS";

/** Options of both `init` and `modify`. */
export const clusterValues: readonly Option[] = [
  backendParameters,
  { ...integer("candidate-pool-size", "So many nodes are master candidates"), short: "C" },
  text("enabled-hypervisors", "NAMES", "Hypervisors, with commas; the first is the usual one"),
  text(
    "enabled-disk-templates",
    "NAMES",
    "Disk templates, with commas; the first is the usual one",
  ),
  text("file-storage-dir", "DIR", "Where disks in files lie"),
  text("shared-file-storage-dir", "DIR", "Where disks in shared files lie"),
  hypervisorParameters,
  { ...text("mac-prefix", "XX:XX:XX", "How addresses of network cards begin"), short: "m" },
  text("master-netdev", "NETDEV", "The interface that has the master's address"),
  text("master-netmask", "BITS", "The netmask of the master's address"),
  nicParameters,
  text("vg-name", "VG", "The volume group on the nodes; empty: none"),
  yesNo("maintain-node-health", "Clean up nodes: stop what should not run there"),
  text("uid-pool", uidRanges, "User ids that guests may run under: 4000-4019,5000"),
  text("drbd-usermode-helper", "PATH", "The program that DRBD calls"),
  {
    ...text(
      "default-iallocator",
      "NAME",
      "The usual allocator; several with commas are tried in turn",
    ),
    short: "I",
    completes: "allocator" as const,
  },
  {
    ...text(
      "default-iallocator-for",
      "REQUEST=NAMES",
      "Allocators of one type of request, tried in turn: relocate=hail,mine; no name: none; repeatable",
    ),
    repeatable: true,
    completes: "text" as const,
  },
  {
    name: "default-iallocator-params",
    type: "key-values",
    placeholder: "K=V,…",
    help: "Parameters of the usual allocator",
  },
  yesNo("prealloc-wipe-disks", "Overwrite disks before instances get them"),
  nodeParameters,
  yesNo("use-external-mip-script", "Let a script of yours set up the master's address"),
  diskParameters,
  ...states,
  text("install-image", "PATH|URL", "The image that installs run in"),
  text("zeroing-image", "PATH|URL", "The image that zeroes disks"),
  text(
    "compression-tools",
    "NAMES",
    "Programs that may compress, with commas; empty: as by default",
  ),
  yesNo("user-shutdown", "Guests may shut themselves down for good"),
];

/** Options of `init` only. */
export const newClusterValues: readonly Option[] = [
  { name: "no-etc-hosts", type: "flag", help: "Leave /etc/hosts as it is" },
  { name: "no-ssh-init", type: "flag", help: "Leave SSH keys as they are" },
  { ...text("secondary-ip", "ADDRESS", "The master's address for replication"), short: "s" },
  text("primary-ip-version", "4|6", "The version of the nodes' addresses"),
  text("gluster-storage-dir", "DIR", "Where Gluster file systems are mounted"),
  integer("ssh-key-bits", "The length of SSH keys"),
  {
    name: "ssh-key-type",
    type: "text",
    placeholder: "rsa|dsa|ecdsa",
    choices: ["rsa", "dsa", "ecdsa"],
    help: "The type of SSH keys",
  },
];

/** Our own options: the place of the cluster on this machine. */
export const newClusterPlace: readonly Option[] = [
  { name: "simulated", type: "flag", help: "Of nodes that exist as files of the data directory" },
  integer("nodes", "With so many simulated nodes (1)"),
  text("primary-ip", "ADDRESS", "The first node's address (192.0.2.1)"),
  {
    name: "api-user",
    type: "text",
    placeholder: "NAME[:RIGHTS]",
    help: "Make a user of the remote API with rights read, write (default) or full; show the password",
  },
  { name: "no-start", type: "flag", help: "Make the cluster, but do not start its server" },
  integer("port", "The server listens on this port of 127.0.0.1 (5080; 0: one that is free)"),
];

/** Options of `modify` only. */
export const changedClusterValues: readonly Option[] = [
  integer("max-running-jobs", "So many jobs run at the same time"),
  integer("max-tracked-jobs", "So many jobs are looked after at the same time"),
  text("instance-communication-network", "NETWORK", "The network by which guests talk to nodes"),
  text("add-uids", uidRanges, "User ids that the pool gets"),
  text("remove-uids", uidRanges, "User ids that the pool loses"),
  text("reserved-lvs", "REGEXES", "Volumes that are nobody's business, with commas; empty: none"),
  yesNo("modify-etc-hosts", "Keep /etc/hosts of the nodes in step"),
  {
    name: "enabled-data-collectors",
    type: "key-values",
    placeholder: "NAME=BOOL,…",
    help: "Data collectors that work, or do not",
  },
  {
    name: "data-collector-interval",
    type: "key-values",
    placeholder: "NAME=SECONDS,…",
    help: "How often data collectors work",
  },
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
