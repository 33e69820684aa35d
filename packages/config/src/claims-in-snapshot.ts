/** Claims in a configuration: by kind, the instances that they are about, and what must be true of each. */
import type {
  ChildDisk,
  ClaimKind,
  ClaimOf,
  DiskObject,
  ForthcomingInstance,
  NodeUuid,
} from "@ganeti-ts/protocol";
import { Claim, invariant } from "@ganeti-ts/protocol";
import { devicesOfClaim } from "./claims.js";
import type { ConfigChange } from "./objects.js";
import type { Snapshot } from "./snapshot.js";

/** The claims of one kind. O(claims). */
export const claimsOfKind = <Kind extends ClaimKind>(now: Snapshot, kind: Kind) =>
  [...now.claims()].filter((claim): claim is ClaimOf<Kind> => claim.kind === kind);

/** Instances that are being created. O(claims). */
export const instancesToCome = (now: Snapshot): readonly ForthcomingInstance[] =>
  claimsOfKind(now, "creation").map(({ instance }) => instance);

/** Name of the instance that the claim is about; a reservation need not have one. */
export function instanceOfClaim(now: Snapshot, claim: Claim): string | undefined {
  switch (claim.kind) {
    case "creation":
      return claim.instance.name;
    case "commit":
      return now.instance(claim.reservation)?.name;
    case "space":
      return undefined;
    case "removal":
      return claim.running?.name;
    case "export":
      return claim.instanceName;
    case "recreation":
      return claim.disks.map((disk) => now.instanceOfDisk(disk)?.name).find((name) => name);
  }
}

/**
 * A claim decides what recovery removes from nodes. O(written claims * log n).
 * @throws InvariantError before anything is stored
 */
export function checkClaims(
  before: Snapshot,
  after: Snapshot,
  changes: readonly ConfigChange[],
): void {
  for (const change of changes) {
    if (change.kind !== "put" || change.type !== "claim") continue;
    const { object: claim } = change;
    const about = `claim ${claim.uuid} of job ${claim.job}`;
    const was = before.claim(claim.uuid) ?? claim;
    invariant(
      was.kind === claim.kind && was.job === claim.job,
      () => `${about}: was one of kind ${was.kind} of job ${was.job}, and would be ${claim.kind}`,
    );
    // Amounts above all, which the type does not bound: a server could not open the configuration any more.
    const { error } = Claim.safeParse(claim);
    invariant(
      error === undefined,
      () => `${about}: ${error?.issues[0]?.path.join("/")}: ${error?.issues[0]?.message}`,
    );
    for (const device of devicesOfClaim(claim)) {
      for (const node of device.nodes) {
        const living = livingDisk(after, device, node);
        invariant(
          living === undefined,
          () => `${about}: would hold a volume of disk ${living?.uuid}`,
        );
      }
    }
  }
}

/**
 * The disk to which a volume of the claimed device on the node belongs; undefined as it should be: names of claimed volumes are
 * those of no disk that exists.
 */
export function livingDisk(
  now: Snapshot,
  claimed: Pick<DiskObject, "dev_type" | "logical_id"> & {
    readonly children: readonly Pick<ChildDisk, "dev_type" | "logical_id">[];
  },
  node: NodeUuid,
): DiskObject | undefined {
  for (const { dev_type, logical_id } of [claimed, ...claimed.children]) {
    if (dev_type !== "plain" || logical_id === undefined) continue;
    for (const owner of now.keysOf("lv", node, logical_id.join("/"))) {
      const disk = now.find("disk", owner.split("/")[0] ?? "");
      if (disk !== undefined && !disk.forthcoming) return disk;
    }
  }
  return undefined;
}
