/** Parameters of opcodes that are enumerations. */
import * as z from "zod";
import { allocationPolicies, diskTemplates } from "../cluster-data.js";
import { hypervisors } from "../iallocator/hypervisor.js";

export const DiskTemplateChoice = z.enum(diskTemplates);
export const HypervisorChoice = z.enum(hypervisors);
export const AllocationPolicyChoice = z.enum(allocationPolicies);

export const CreateMode = z.enum(["create", "import", "remote-import"]);
export const ExportMode = z.enum(["local", "remote"]);
export const MigrationMode = z.enum(["live", "non-live"]);
export const RebootType = z.enum(["soft", "hard", "full"]);
export const FileDriver = z.enum(["loop", "blktap", "blktap2"]);

export const ReplaceMode = z.enum([
  "replace_on_primary",
  "replace_on_secondary",
  "replace_new_secondary",
  "replace_auto",
]);

/** `all` includes both, secondaries first. */
export const EvacuationModeChoice = z.enum(["primary-only", "secondary-only", "all"]);

/** Schema of the kinds of things that carry tags. */
export const TagKind = z.enum(["instance", "node", "nodegroup", "network", "cluster"]);

export const StorageType = z.enum([
  ...(["file", "sharedfile", "gluster", "lvm-pv", "lvm-vg"] as const),
  ...(["diskless", "blockdev", "rados", "ext"] as const),
]);
export type StorageType = z.infer<typeof StorageType>;

export const OobCommand = z.enum([
  "power-on",
  "power-off",
  "power-cycle",
  "power-status",
  "health",
]);

/** `bridge` and `route` are older names of the first two. */
export const NetworkMode = z.union([
  z.enum(["bridged", "routed", "openvswitch", "ext", "pool"]),
  z.literal("bridge").transform(() => "bridged" as const),
  z.literal("route").transform(() => "routed" as const),
]);

export const SshKeyType = z.enum(["rsa", "dsa", "ecdsa"]);

/** Types of requests to an allocator. The last two are not in Ganeti. */
export const AllocatorMode = z.enum([
  ...(["allocate", "allocate-secondary", "multi-allocate", "relocate"] as const),
  ...(["node-evacuate", "change-group", "balance", "capacity"] as const),
]);

/** Resources that can be queried. */
export const QueryResource = z.enum([
  ...(["cluster", "group", "instance", "node", "network", "job", "lock"] as const),
  ...(["export", "os", "extstorage", "filter"] as const),
]);
export type QueryResource = z.infer<typeof QueryResource>;

/** Optional checks of cluster verification. */
export const VerifyCheck = z.enum(["nplusone_mem"]);

/** Errors that cluster verification can report, by Ganeti's names. */
export const VerifyError = z.enum([
  ...(["ECLUSTERCERT", "ECLUSTERCFG", "ECLUSTERCLIENTCERT", "ECLUSTERDANGLINGINST"] as const),
  ...(["ECLUSTERDANGLINGNODES", "ECLUSTERFILECHECK", "EEXTAGS", "EGROUPDIFFERENTPVSIZE"] as const),
  ...(["EINSTANCEBADNODE", "EINSTANCEDOWN", "EINSTANCEFAULTYDISK", "EINSTANCELAYOUT"] as const),
  ...(["EINSTANCEMISSINGCFGPARAMETER", "EINSTANCEMISSINGDISK", "EINSTANCEPOLICY"] as const),
  ...(["EINSTANCESPLITGROUPS", "EINSTANCEUNSUITABLENODE", "EINSTANCEWRONGNODE"] as const),
  ...(["ENODEDRBD", "ENODEDRBDHELPER", "ENODEDRBDVERSION", "ENODEFILECHECK"] as const),
  ...(["ENODEFILESTORAGEPATHS", "ENODEFILESTORAGEPATHUNUSABLE"] as const),
  ...(["ENODEGLUSTERSTORAGEPATHUNUSABLE", "ENODESHAREDFILESTORAGEPATHUNUSABLE"] as const),
  ...(["ENODEHOOKS", "ENODEHV", "ENODELVM", "ENODEN1", "ENODENET", "ENODEOOBPATH"] as const),
  ...(["ENODEORPHANINSTANCE", "ENODEORPHANLV", "ENODEOS", "ENODERPC", "ENODESETUP"] as const),
  ...(["ENODESSH", "ENODETIME", "ENODEUSERSCRIPTS", "ENODEVERSION"] as const),
]);
