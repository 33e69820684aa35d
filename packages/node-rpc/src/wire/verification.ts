/** `node_verify`: checks and their results, each under Ganeti's key. */
import type {
  Fault,
  LogicalVolume,
  NodeCallArguments,
  PhysicalVolume,
  Verification,
  VerifyRequest,
} from "@ganeti-ts/node-calls";
import type { Json } from "@ganeti-ts/protocol";
import type { CallWire } from "./call-wire.js";
import { path } from "./files.js";
import {
  asList,
  asObject,
  constant,
  type Format,
  type Keys,
  keyed,
  listOf,
  nullable,
  plain,
  positional,
} from "./format.js";
import { osDefinitions } from "./os.js";
import { hypervisorFigures, logicalVolumes } from "./resources.js";

type Request = { [Check in keyof VerifyRequest]-?: NonNullable<VerifyRequest[Check]> };

/** A check without an argument, for which Ganeti's master writes this JSON. */
const asked = (json: Json): Format<true> => constant(true, json);

const ssh = positional<Request["ssh"]>(["nodes", plain], ["more", plain], ["candidates", plain]);

const network = positional<Request["network"]>(
  [
    "nodes",
    listOf(
      positional<{ name: string; primaryIp: string; secondaryIp: string }>(
        ["name", plain],
        ["primaryIp", plain],
        ["secondaryIp", plain],
      ),
    ),
  ],
  ["candidates", plain],
);

const sshSetup = positional<Request["sshSetup"]>(
  [
    "nodes",
    listOf(
      positional<Request["sshSetup"]["nodes"][number]>(
        ["uuid", plain],
        ["name", plain],
        ["isCandidate", plain],
        ["isPotentialCandidate", plain],
        ["isOnline", plain],
      ),
    ),
  ],
  ["keyType", plain],
);

type Checks = Omit<VerifyRequest, "clusterName" | "hypervisorParameters" | "fileStorageDirs">;

const checkKeys: Keys<Checks> = {
  hypervisors: ["hypervisor", plain],
  instances: ["instancelist", plain],
  figures: ["hvinfo", plain],
  hvparams: [
    "hvparms",
    listOf(positional(["owner", plain], ["hypervisor", plain], ["hvparams", plain])),
  ],
  nodesWithoutInstances: ["nonvmnodes", plain],
  osList: ["oslist", asked(null)],
  files: ["filelist", listOf(path)],
  userScripts: ["user-scripts", plain],
  oobPrograms: ["oob-paths", plain],
  nodeSetup: ["nodesetup", asked(null)],
  version: ["version", asked(null)],
  time: ["time", asked(null)],
  clientCertificate: ["client-cert", asked(null)],
  ssh: ["nodelist", ssh],
  network: ["node-net-test", network],
  master: ["master-ip", positional(["name", plain], ["ip", plain], ["candidates", plain])],
  sshSetup: ["ssh-setup", sshSetup],
  sshClutter: ["ssh-clutter", asked(true)],
  bridges: ["bridges", plain],
  volumeGroups: ["vglist", asked(null)],
  logicalVolumes: ["lvlist", plain],
  physicalVolumes: ["pvlist", plain],
  exclusiveStorage: ["exclusive-pvs", asked(true)],
  drbdVersion: ["drbd-version", asked(null)],
  drbdList: ["drbd-list", asked(null)],
  drbdHelper: ["drbd-helper", plain],
  acceptedPathsOf: ["allowed-file-storage-paths", plain],
};
const checks = keyed<Checks>(checkKeys);

/** Keys of the directories for disks in files, one for each template. */
const directoryKeys = {
  file: "file-storage-path",
  sharedfile: "shared-file-storage-path",
  gluster: "gluster-storage-path",
} as const;

const underDirectoryKeys = (byTemplate: Readonly<Record<string, string>> = {}) =>
  Object.fromEntries(
    Object.entries(directoryKeys)
      .filter(([template]) => byTemplate[template] !== undefined)
      .map(([template, key]) => [key, byTemplate[template] as string]),
  );

function byTemplate(object: { readonly [key: string]: Json }) {
  const found = Object.entries(directoryKeys).filter(([, key]) => Object.hasOwn(object, key));
  return Object.fromEntries(found.map(([template, key]) => [template, object[key] as string]));
}

const verifyArguments: Format<NodeCallArguments<"node_verify">> = {
  encode: ({ clusterName, hypervisorParameters = {}, fileStorageDirs, ...rest }, context) => [
    { ...asObject(checks.encode(rest, context)), ...underDirectoryKeys(fileStorageDirs) },
    clusterName,
    hypervisorParameters,
  ],
  decode(json, context) {
    const [what, clusterName, hypervisorParameters] = asList(json);
    const object = asObject(what ?? null);
    const fileStorageDirs = byTemplate(object);
    return {
      ...checks.decode(object, context),
      ...(Object.keys(fileStorageDirs).length > 0 && { fileStorageDirs }),
      clusterName,
      hypervisorParameters,
    } as unknown as VerifyRequest;
  },
};

/** A result, or the text of a fault. */
const orFault = <T>(format: Format<T>): Format<T | Fault> => ({
  encode: (value, context) => (isFault(value) ? value.fault : format.encode(value, context)),
  decode: (json, context) =>
    typeof json === "string" ? { fault: json } : format.decode(json, context),
});

const isFault = (value: unknown): value is Fault =>
  typeof value === "object" && value !== null && typeof (value as Fault).fault === "string";

const wallMicros: Format<number> = {
  encode: (micros) => [Math.floor(micros / 1e6), Math.floor(micros % 1e6)],
  decode(json) {
    const [seconds, micros] = asList(json);
    return Number(seconds) * 1e6 + Number(micros);
  },
};

/** Checksums by path; the paths have the prefix of virtual clusters, like those of the request. */
const checksums: Format<Readonly<Record<string, string>>> = {
  encode: (byPath, context) =>
    Object.fromEntries(
      Object.entries(byPath).map(([name, sum]) => [path.encode(name, context) as string, sum]),
    ),
  decode: (json, context) =>
    Object.fromEntries(
      Object.entries(asObject(json)).map(([name, sum]) => [path.decode(name, context), sum]),
    ) as Record<string, string>,
};

const physicalVolume = keyed<PhysicalVolume>({
  name: ["name", plain],
  volumeGroup: ["vg_name", plain],
  sizeMib: ["size", plain],
  freeMib: ["free", plain],
  attributes: ["attributes", plain],
  volumes: ["lv_list", plain],
});

type Results = Omit<Verification, "fileStorageFaults" | "masterReached">;

const resultKeys: Keys<Results> = {
  version: ["version", positional(["protocol", plain], ["release", plain])],
  wallMicros: ["time", wallMicros],
  hypervisors: ["hypervisor", plain],
  hvparams: [
    "hvparms",
    listOf(positional(["owner", plain], ["hypervisor", plain], ["fault", plain])),
  ],
  instances: ["instancelist", orFault<readonly string[]>(plain)],
  figures: ["hvinfo", hypervisorFigures],
  osList: ["oslist", osDefinitions],
  files: ["filelist", checksums],
  missingUserScripts: ["user-scripts", plain],
  oobFaults: ["oob-paths", plain],
  nodeSetup: ["nodesetup", plain],
  clientCertificate: ["client-cert", positional(["severity", nullable(plain)], ["text", plain])],
  unreachedBySsh: ["nodelist", plain],
  unreachedByTcp: ["node-net-test", plain],
  sshSetup: ["ssh-setup", plain],
  sshClutter: ["ssh-clutter", plain],
  missingBridges: ["bridges", plain],
  volumeGroups: ["vglist", orFault<Readonly<Record<string, number>>>(plain)],
  logicalVolumes: ["lvlist", orFault<readonly LogicalVolume[]>(logicalVolumes)],
  physicalVolumes: ["pvlist", listOf(physicalVolume)],
  sharedPhysicalVolumes: [
    "exclusive-pvs",
    listOf(
      positional<{ name: string; volumes: readonly string[] }>(["name", plain], ["volumes", plain]),
    ),
  ],
  drbdVersion: ["drbd-version", plain],
  drbdMinors: ["drbd-list", orFault<readonly number[]>(plain)],
  drbdHelper: ["drbd-helper", positional(["ok", plain], ["text", plain])],
  forbiddenStoragePaths: ["allowed-file-storage-paths", plain],
};
const results = keyed<Results>(resultKeys);

const verification: Format<Verification> = {
  encode: ({ fileStorageFaults, masterReached, ...rest }, context) => ({
    ...asObject(results.encode(rest, context)),
    ...underDirectoryKeys(fileStorageFaults),
    // Null is a separate result: the node is not a candidate.
    ...(masterReached !== undefined && { "master-ip": masterReached }),
  }),
  decode(json, context) {
    const object = asObject(json);
    const fileStorageFaults = byTemplate(object);
    return {
      ...results.decode(object, context),
      ...(Object.keys(fileStorageFaults).length > 0 && { fileStorageFaults }),
      ...("master-ip" in object && { masterReached: object["master-ip"] as boolean | null }),
    };
  },
};

export const verifyWire: Pick<CallWire<"node_verify">, "arguments" | "value"> = {
  arguments: verifyArguments,
  value: verification,
};
