import * as z from "zod";
import { list, object, Parameters, record } from "../call.js";
import { OsDefinition } from "../os/calls.js";
import { HypervisorFigures, LogicalVolume } from "./figures.js";

/** A part of a verification that the node could not carry out. */
export const Fault = object({ fault: z.string() });
export type Fault = z.infer<typeof Fault>;

const names = list(z.string());
const asked = z.literal(true);

/** Checks that a node is to run, each with its argument; absent ones are not run. */
export const VerifyRequest = object({
  clusterName: z.string(),
  /** Parameters of all hypervisors of the cluster, by name. */
  hypervisorParameters: record(Parameters).optional(),

  /** Hypervisors that must work. */
  hypervisors: names.optional(),
  /** Hypervisors whose running instances are listed. */
  instances: names.optional(),
  /** Hypervisor whose figures are wanted. */
  figures: z.string().optional(),
  /** Parameters to validate, each with the name of their owner. */
  hvparams: list(
    object({ owner: z.string(), hypervisor: z.string(), hvparams: Parameters }),
  ).optional(),
  /** Nodes without instances, by name: they leave out all checks about instances and their storage. */
  nodesWithoutInstances: names.optional(),
  osList: asked.optional(),

  /** Paths of files whose checksums are wanted. */
  files: names.optional(),
  userScripts: names.optional(),
  oobPrograms: names.optional(),
  nodeSetup: asked.optional(),
  version: asked.optional(),
  time: asked.optional(),
  clientCertificate: asked.optional(),

  /** Nodes to reach by ssh, by name. Only candidates try to reach other nodes. */
  ssh: object({ nodes: names, more: record(names), candidates: names }).optional(),
  /** Nodes to reach at both addresses; only candidates try. */
  network: object({
    nodes: list(object({ name: z.string(), primaryIp: z.string(), secondaryIp: z.string() })),
    candidates: names,
  }).optional(),
  /** Address of the master; only candidates try. */
  master: object({ name: z.string(), ip: z.string(), candidates: names }).optional(),
  sshSetup: object({
    nodes: list(
      object({
        uuid: z.string(),
        name: z.string(),
        isCandidate: z.boolean(),
        isPotentialCandidate: z.boolean(),
        isOnline: z.boolean(),
      }),
    ),
    keyType: z.string(),
  }).optional(),
  sshClutter: asked.optional(),
  bridges: names.optional(),

  volumeGroups: asked.optional(),
  /** A volume group; the node lists the volumes of all groups. */
  logicalVolumes: z.string().optional(),
  /** Volume groups whose physical volumes are listed. */
  physicalVolumes: names.optional(),
  /** Volumes that share a physical volume are listed. */
  exclusiveStorage: asked.optional(),
  drbdVersion: asked.optional(),
  /** Minors of mirrors that are up. */
  drbdList: asked.optional(),
  drbdHelper: z.string().optional(),
  /** Directories for disks in files, by template: `file`, `sharedfile`, `gluster`. */
  fileStorageDirs: record(z.string()).optional(),
  /** The node of that name reports accepted folders that must not hold disks. */
  acceptedPathsOf: z.string().optional(),
});
export type VerifyRequest = z.infer<typeof VerifyRequest>;

/** Schema of a physical volume of a node. */
export const PhysicalVolume = object({
  name: z.string(),
  volumeGroup: z.string(),
  sizeMib: z.number(),
  freeMib: z.number(),
  attributes: z.string(),
  /** Names of the logical volumes on it. */
  volumes: names,
});
export type PhysicalVolume = z.infer<typeof PhysicalVolume>;

/** Results of checks; absent for those that were not requested or do not apply to the node. */
export const Verification = object({
  version: object({ protocol: z.int(), release: z.string() }).optional(),
  /** Microseconds since the epoch, by the node's clock. */
  wallMicros: z.number().optional(),
  /** Fault by hypervisor, null if it works. */
  hypervisors: record(z.string().nullable()).optional(),
  hvparams: list(
    object({ owner: z.string(), hypervisor: z.string(), fault: z.string() }),
  ).optional(),
  instances: z.union([names, Fault]).optional(),
  figures: HypervisorFigures.optional(),
  osList: list(OsDefinition).optional(),
  /** Checksum by path; missing files are absent. */
  files: record(z.string()).optional(),
  /** Programs that cannot be run. */
  missingUserScripts: names.optional(),
  /** Fault of each program, null if it can be run, in the order of the request. */
  oobFaults: list(z.string().nullable()).optional(),
  nodeSetup: names.optional(),
  /** Digest of the certificate, or its fault. */
  clientCertificate: object({
    severity: z.enum(["ERROR", "WARNING"]).nullable(),
    text: z.string(),
  }).optional(),
  /** Nodes by name that could not be reached, with the reason: by ssh, … */
  unreachedBySsh: record(z.string()).optional(),
  /** … and at their addresses. */
  unreachedByTcp: record(z.string()).optional(),
  /** Null if the node is not a candidate. */
  masterReached: z.boolean().nullable().optional(),
  sshSetup: names.optional(),
  sshClutter: names.optional(),
  missingBridges: names.optional(),
  /** MiB by volume group. */
  volumeGroups: z.union([record(z.number()), Fault]).optional(),
  logicalVolumes: z.union([list(LogicalVolume), Fault]).optional(),
  physicalVolumes: list(PhysicalVolume).optional(),
  sharedPhysicalVolumes: list(object({ name: z.string(), volumes: names })).optional(),
  /** `8.4.11`. */
  drbdVersion: z.string().optional(),
  drbdMinors: z.union([list(z.int()), Fault]).optional(),
  drbdHelper: object({ ok: z.boolean(), text: z.string() }).optional(),
  /** Faults of directories, by template. */
  fileStorageFaults: record(z.string()).optional(),
  forbiddenStoragePaths: names.optional(),
});
export type Verification = z.infer<typeof Verification>;
