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

const ssh = positional<Request["ssh"]>("nodes", "more", "candidates");

const network = positional<Request["network"]>(
  [
    "nodes",
    listOf(
      positional<{ name: string; primaryIp: string; secondaryIp: string }>(
        "name",
        "primaryIp",
        "secondaryIp",
      ),
    ),
  ],
  "candidates",
);

const sshSetup = positional<Request["sshSetup"]>(
  [
    "nodes",
    listOf(
      positional<Request["sshSetup"]["nodes"][number]>(
        "uuid",
        "name",
        "isCandidate",
        "isPotentialCandidate",
        "isOnline",
      ),
    ),
  ],
  "keyType",
);

type Checks = Omit<VerifyRequest, "clusterName" | "hypervisorParameters" | "fileStorageDirs">;

const checkKeys: Keys<Checks> = {
  hypervisors: "hypervisor",
  instances: "instancelist",
  figures: "hvinfo",
  hvparams: ["hvparms", listOf(positional("owner", "hypervisor", "hvparams"))],
  nodesWithoutInstances: "nonvmnodes",
  osList: ["oslist", asked(null)],
  files: ["filelist", listOf(path)],
  userScripts: "user-scripts",
  oobPrograms: "oob-paths",
  nodeSetup: ["nodesetup", asked(null)],
  version: ["version", asked(null)],
  time: ["time", asked(null)],
  clientCertificate: ["client-cert", asked(null)],
  ssh: ["nodelist", ssh],
  network: ["node-net-test", network],
  master: ["master-ip", positional("name", "ip", "candidates")],
  sshSetup: ["ssh-setup", sshSetup],
  sshClutter: ["ssh-clutter", asked(true)],
  bridges: "bridges",
  volumeGroups: ["vglist", asked(null)],
  logicalVolumes: "lvlist",
  physicalVolumes: "pvlist",
  exclusiveStorage: ["exclusive-pvs", asked(true)],
  drbdVersion: ["drbd-version", asked(null)],
  drbdList: ["drbd-list", asked(null)],
  drbdHelper: "drbd-helper",
  acceptedPathsOf: "allowed-file-storage-paths",
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
  name: "name",
  volumeGroup: "vg_name",
  sizeMib: "size",
  freeMib: "free",
  attributes: "attributes",
  volumes: "lv_list",
});

type Results = Omit<Verification, "fileStorageFaults" | "masterReached">;

const resultKeys: Keys<Results> = {
  version: ["version", positional("protocol", "release")],
  wallMicros: ["time", wallMicros],
  hypervisors: "hypervisor",
  hvparams: ["hvparms", listOf(positional("owner", "hypervisor", "fault"))],
  instances: ["instancelist", orFault<readonly string[]>(plain)],
  figures: ["hvinfo", hypervisorFigures],
  osList: ["oslist", osDefinitions],
  files: ["filelist", checksums],
  missingUserScripts: "user-scripts",
  oobFaults: "oob-paths",
  nodeSetup: "nodesetup",
  clientCertificate: ["client-cert", positional(["severity", nullable(plain)], "text")],
  unreachedBySsh: "nodelist",
  unreachedByTcp: "node-net-test",
  sshSetup: "ssh-setup",
  sshClutter: "ssh-clutter",
  missingBridges: "bridges",
  volumeGroups: ["vglist", orFault<Readonly<Record<string, number>>>(plain)],
  logicalVolumes: ["lvlist", orFault<readonly LogicalVolume[]>(logicalVolumes)],
  physicalVolumes: ["pvlist", listOf(physicalVolume)],
  sharedPhysicalVolumes: [
    "exclusive-pvs",
    listOf(positional<{ name: string; volumes: readonly string[] }>("name", "volumes")),
  ],
  drbdVersion: "drbd-version",
  drbdMinors: ["drbd-list", orFault<readonly number[]>(plain)],
  drbdHelper: ["drbd-helper", positional("ok", "text")],
  forbiddenStoragePaths: "allowed-file-storage-paths",
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
