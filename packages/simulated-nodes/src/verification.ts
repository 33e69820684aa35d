/** A node looks itself over. */
import type { Verification, VerifyRequest } from "@ganeti-ts/node-calls";
import { configurationDirectory } from "@ganeti-ts/node-calls";
import { digest } from "./digest.js";
import { figuresOf, groupSizes, logicalVolumes, version } from "./figures.js";
import type { HostState } from "./node-state.js";
import type { Site } from "./site.js";

/** Every part by itself; what was not asked for is left out. */
export function verify(site: Site, request: VerifyRequest): Verification {
  const { host } = site;
  return {
    ...version,
    wallMicros: site.nowMicros,
    ...(request.hypervisors && {
      hypervisors: Object.fromEntries(request.hypervisors.map(({ name }) => [name, null])),
      instances: Object.keys(host.instances),
      figures: request.hypervisors.map(() => figuresOf(host)),
    }),
    ...(request.hvparams && { hvparams: [] }),
    ...(request.files && { files: checksums(host, request.files) }),
    ...(request.peers && {
      unreachedBySsh: unreached(site, request.peers, "ssh problem: no route to host"),
      unreachedByTcp: unreached(site, request.peers, "failure using the primary interface"),
    }),
    ...(request.master && { masterReached: site.hostAt(request.master.name)?.powered === true }),
    ...(request.volumeGroup !== undefined && volumesOf(host, request)),
    ...(request.drbdHelper !== undefined && {
      drbdHelper: { ok: true, text: host.drbdHelper },
      drbdVersion: host.drbdVersion,
      drbdMinors: Object.keys(host.drbd)
        .filter((minor) => host.drbd[minor]?.up)
        .map(Number),
    }),
    ...(request.bridges && {
      missingBridges: request.bridges.filter((bridge) => !host.bridges.includes(bridge)),
    }),
    ...(request.userScripts && { missingUserScripts: [] }),
    ...(request.fileStorageDirs && { fileStorageFaults: {} }),
    ...(request.acceptedPathsOf === host.name && { forbiddenStoragePaths: forbidden(host) }),
    ...(request.oobPrograms && { oobFaults: [] }),
  };
}

const checksums = ({ files }: HostState, paths: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    paths.flatMap((path) => {
      const content = files[path];
      return content === undefined ? [] : [[path, digest(content)] as const];
    }),
  );

/** Folders of the system that the owner lets disks lie in. */
function forbidden({ files }: HostState): string[] {
  const system = ["bin", "boot", "dev", "etc", "home", "lib", "root", "sbin", "usr"];
  return (files[`${configurationDirectory}/file-storage-paths`] ?? "")
    .split("\n")
    .filter((path) => system.some((one) => `${path}/`.startsWith(`/${one}/`)));
}

const unreached = (
  { hostAt }: Site,
  peers: NonNullable<VerifyRequest["peers"]>,
  message: string,
): Record<string, string> =>
  Object.fromEntries(
    peers.filter(({ name }) => !hostAt(name)?.powered).map(({ name }) => [name, message]),
  );

function volumesOf(host: HostState, { volumeGroup = "", exclusiveStorage }: VerifyRequest) {
  const group = host.volumeGroups[volumeGroup];
  const users = new Map<string, string[]>();
  for (const [name, { pieces }] of Object.entries(group?.volumes ?? {})) {
    for (const on of new Set(pieces.map((piece) => piece.on))) {
      users.set(on, [...(users.get(on) ?? []), name]);
    }
  }
  const physical = Object.entries(group?.physicalVolumes ?? {});
  return {
    volumeGroups: groupSizes(host),
    logicalVolumes: logicalVolumes(host, [volumeGroup]),
    physicalVolumes: physical
      .filter(([, { missing }]) => !missing)
      .map(([name, { sizeMib }]) => {
        const by = users.get(name) ?? [];
        return {
          name,
          volumeGroup,
          sizeMib,
          sharedBy: exclusiveStorage && by.length > 1 ? by : [],
        };
      }),
  };
}
