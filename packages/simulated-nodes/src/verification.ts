/** Verification of a simulated node by itself. */
import type { PhysicalVolume, Verification, VerifyRequest } from "@ganeti-ts/node-calls";
import { configurationDirectory, isForbiddenStorage } from "@ganeti-ts/node-calls";
import { ownDigest } from "./certificates.js";
import { digest } from "./digest.js";
import { storagePathFault } from "./directories.js";
import { figuresOf, groupSizes, version } from "./figures.js";
import type { HostState, VolumeGroupState } from "./node-state.js";
import { structuredCopy } from "./os-operations.js";
import type { Site } from "./site.js";
import { logicalVolumes } from "./volume-lists.js";
import { usedByVolumes } from "./volumes.js";

/** Each requested part independently; other parts are absent. */
export function verify(site: Site, request: VerifyRequest): Verification {
  const { host } = site;
  return {
    ...(request.version && { version }),
    ...(request.time && { wallMicros: site.nowMicros }),
    ...(request.hypervisors && {
      hypervisors: Object.fromEntries(request.hypervisors.map((name) => [name, null])),
    }),
    ...(request.instances && { instances: Object.keys(host.instances) }),
    ...(request.figures !== undefined && { figures: figuresOf(host) }),
    ...(request.hvparams && { hvparams: [] }),
    ...(request.osList && { osList: structuredCopy(host.operatingSystems) }),
    ...(request.files && { files: checksums(host, request.files) }),
    ...(request.nodeSetup && { nodeSetup: [] }),
    ...(request.clientCertificate && { clientCertificate: certificateOf(site) }),
    ...reached(site, request),
    ...(request.sshSetup && { sshSetup: [] }),
    ...(request.sshClutter && { sshClutter: [] }),
    ...(request.volumeGroups && { volumeGroups: groupSizes(host) }),
    ...(request.logicalVolumes !== undefined && {
      logicalVolumes: logicalVolumes(host, [request.logicalVolumes]),
    }),
    ...(request.physicalVolumes && {
      physicalVolumes: physicalVolumes(host, request.physicalVolumes),
    }),
    ...(request.exclusiveStorage && { sharedPhysicalVolumes: shared(host, request) }),
    ...(request.drbdHelper !== undefined && { drbdHelper: { ok: true, text: host.drbdHelper } }),
    ...(request.drbdVersion && { drbdVersion: host.drbdVersion }),
    ...(request.drbdList && {
      drbdMinors: Object.keys(host.drbd)
        .filter((minor) => host.drbd[minor]?.up)
        .map(Number),
    }),
    ...(request.bridges && {
      missingBridges: request.bridges.filter((bridge) => !host.bridges.includes(bridge)),
    }),
    ...(request.userScripts && {
      missingUserScripts: request.userScripts.filter((path) => host.files[path] === undefined),
    }),
    ...(request.fileStorageDirs && {
      fileStorageFaults: Object.fromEntries(
        Object.entries(request.fileStorageDirs).flatMap(([template, directory]) => {
          const fault = storagePathFault(directory);
          return fault === undefined ? [] : [[template, fault]];
        }),
      ),
    }),
    ...(request.acceptedPathsOf === host.name && { forbiddenStoragePaths: forbidden(host) }),
    ...(request.oobPrograms && { oobFaults: request.oobPrograms.map(() => null) }),
  };
}

const checksums = ({ files }: HostState, paths: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    paths.flatMap((path) => {
      const content = files[path];
      return content === undefined ? [] : [[path, digest(content)] as const];
    }),
  );

/** System folders that the owner has accepted for disks. */
const forbidden = ({ files }: HostState): string[] =>
  (files[`${configurationDirectory}/file-storage-paths`] ?? "")
    .split("\n")
    .filter((path) => path !== "" && isForbiddenStorage(path));

/** The digest that `node_crypto_tokens` returns. */
const certificateOf = (site: Site) => ({ severity: null, text: ownDigest(site) });

/** Only candidates try to reach addresses. */
function reached(site: Site, { ssh, network, master }: VerifyRequest): Partial<Verification> {
  const { name } = site.host;
  const tcp = network?.nodes.map((node) => node.name) ?? [];
  const tries = network?.candidates.includes(name);
  return {
    ...(ssh && { unreachedBySsh: unreached(site, ssh.nodes, "ssh problem: no route to host") }),
    ...(network && {
      unreachedByTcp: tries ? unreached(site, tcp, "failure using the primary interface") : {},
    }),
    ...(master && {
      masterReached: master.candidates.includes(name)
        ? site.hostAt(master.name)?.powered === true
        : null,
    }),
  };
}

function unreached(site: Site, names: readonly string[], message: string): Record<string, string> {
  const away = names.filter((name) => !site.hostAt(name)?.powered);
  return Object.fromEntries(away.map((name) => [name, message]));
}

/** Names of volumes by physical volume. */
function usersOf({ volumes }: VolumeGroupState): ReadonlyMap<string, readonly string[]> {
  const users = new Map<string, string[]>();
  for (const [name, { pieces }] of Object.entries(volumes)) {
    for (const on of new Set(pieces.map((piece) => piece.on))) {
      users.set(on, [...(users.get(on) ?? []), name]);
    }
  }
  return users;
}

const groupsOf = (host: HostState, names: readonly string[]) =>
  names.flatMap((name) => {
    const group = host.volumeGroups[name];
    return group === undefined ? [] : [[name, group] as const];
  });

const physicalVolumes = (host: HostState, groups: readonly string[]): PhysicalVolume[] =>
  groupsOf(host, groups).flatMap(([volumeGroup, group]) => {
    const users = usersOf(group);
    const used = usedByVolumes(group);
    return Object.entries(group.physicalVolumes)
      .filter(([, { missing }]) => !missing)
      .map(([name, { sizeMib, allocatable }]) => ({
        name,
        volumeGroup,
        sizeMib,
        freeMib: sizeMib - (used.get(name) ?? 0),
        attributes: allocatable ? "a--" : "u--",
        volumes: users.get(name) ?? [],
      }));
  });

const shared = (host: HostState, { physicalVolumes: groups = [] }: VerifyRequest) =>
  physicalVolumes(host, groups)
    .filter(({ volumes }) => volumes.length > 1)
    .map(({ name, volumes }) => ({ name, volumes }));
