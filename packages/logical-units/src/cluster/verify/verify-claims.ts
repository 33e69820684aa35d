/** Leftovers of ended jobs on nodes, which recovery has not removed yet, and old copies of disks, kept until the new copy is complete. */
import { jobStatuses } from "@ganeti-ts/cluster-queries";
import type { Snapshot } from "@ganeti-ts/config";
import { claimsOfKind, devicesOfClaim, instanceOfClaim, nodesOfClaim } from "@ganeti-ts/config";
import type { DeviceAnswer } from "@ganeti-ts/node-calls";
import type { Claim, DiskUuid, NodeUuid, RealInstance } from "@ganeti-ts/protocol";
import { compareNaturally, isFinalized } from "@ganeti-ts/protocol";
import { nodeName } from "../../instance/state.js";
import type { World } from "../../unit/unit.js";
import type { Findings } from "./findings.js";
import type { GroupFacts } from "./verify-facts.js";

/**
 * Recovery removes leftovers by itself as soon as it reaches their nodes, so they are notices; those on offline nodes are
 * warnings, because they stay until an administrator brings the node back or removes it. Old copies of disks have warnings of
 * their own. O(claims).
 */
export async function checkClaims(
  findings: Findings,
  { queue }: Pick<World, "queue">,
  now: Snapshot,
): Promise<void> {
  if (queue === undefined) return;
  const claims = [...now.claims()].filter((claim) => !areOldCopies(claim));
  const statuses = await jobStatuses(
    queue,
    claims.map(({ job }) => job),
  );
  for (const claim of claims) {
    const status = statuses.get(claim.job);
    if (status !== undefined && !isFinalized(status)) continue;
    const nodes = nodesOfClaim(claim);
    const names = nodes.map((uuid) => nodeName(now, uuid)).sort(compareNaturally);
    const text = `job ${claim.job} left ${leftover(now, claim)} on ${names.join(", ")}`;
    const offline = nodes.filter((uuid) => now.node(uuid)?.offline);
    if (offline.length === 0) {
      findings.step(`  - NOTICE: ${text}; the server removes it as soon as the nodes do so.`);
      continue;
    }
    const away = offline.map((uuid) => nodeName(now, uuid)).join(", ");
    const advice = `offline: ${away}; bring it back online, or remove it from the cluster`;
    findings.add("ECLUSTERCFG", null, `${text} (${advice})`, "WARNING");
  }
}

const areOldCopies = (claim: Claim): boolean => {
  const disks = devicesOfClaim(claim);
  return disks.length > 0 && disks.every(({ copyOf }) => copyOf !== undefined);
};

function leftover(now: Snapshot, claim: Claim): string {
  const of = instanceOfClaim(now, claim) ?? "without a name";
  const count = devicesOfClaim(claim).length;
  const devices = count === 1 ? "1 device" : `${count} devices`;
  switch (claim.kind) {
    case "creation":
      return `the unfinished creation of instance ${of}`;
    case "commit":
      return `the unfinished commit of reservation ${of}`;
    case "space":
      return `${devices} of an unfinished operation`;
    case "removal":
      return [
        ...(count > 0 ? [`${devices} to be removed`] : []),
        ...(claim.running === undefined ? [] : [`instance ${of}, which may still run,`]),
      ].join(" and ");
    case "export":
      return `an unfinished export of instance ${of}`;
    case "recreation":
      return `unfinished disks of instance ${of}`;
  }
}

/** Old copies of disks left by ended jobs, kept until the new copy is complete. */
interface Copy {
  readonly disk: DiskUuid;
  readonly node: NodeUuid;
  /** `xenvg/volume` */
  readonly volumes: readonly string[];
}

/**
 * Names each old copy with the command that completes the new one, after which recovery removes the old one. Nothing is
 * reported while disks synchronise. Replacing jobs hold the instance's lock: none of them is under way.
 */
export function checkOldCopies(findings: Findings, facts: GroupFacts): void {
  const { now } = facts;
  for (const { disk, node, volumes } of copiesIn(facts)) {
    const instance = now.instanceOfDisk(disk);
    if (instance === undefined || instance.forthcoming) continue;
    if (!facts.instances.includes(instance)) continue;
    const index = instance.disks.indexOf(disk);
    const command = commandFor(facts, instance, index);
    if (command === undefined) continue;
    findings.add(
      "ENODEORPHANLV",
      nodeName(now, node),
      `old copy of disk/${index} of instance ${instance.name} (${volumes.join(", ")}) is kept until the new copy is complete, please run '${command}'`,
      "WARNING",
    );
  }
}

function* copiesIn({ now }: GroupFacts): Iterable<Copy> {
  for (const claim of claimsOfKind(now, "removal")) {
    const byDisk = new Map<DiskUuid, string[]>();
    for (const device of claim.disks) {
      const { copyOf: disk } = device;
      if (disk === undefined) continue;
      const volumes = device.children.length > 0 ? device.children : [device];
      const names = volumes.map(({ logical_id = [] }) => logical_id.join("/"));
      byDisk.set(disk, [...(byDisk.get(disk) ?? []), ...names]);
    }
    for (const [disk, volumes] of byDisk) yield { disk, node: claim.node, volumes };
  }
}

/** The command to run; undefined if none is needed because the disk is complete or about to be. */
function commandFor(
  { now, disks }: GroupFacts,
  instance: RealInstance,
  index: number,
): string | undefined {
  const { name, primary_node: primary } = instance;
  const disk = now.disksOf(instance)[index];
  const sides = (disk?.nodes ?? []).map((node) => ({
    node,
    answer: disks.get(instance.uuid)?.get(node)?.[index],
  }));
  if (sides.every(({ answer }) => isWhole(answer))) return undefined;
  if (sides.some(({ answer }) => answer?.ok && answer.status.syncPercent !== null))
    return undefined;
  if (sides.some(({ node }) => node !== primary && now.node(node)?.offline)) {
    return `gnt-instance replace-disks -I . ${name}`;
  }
  const faulty = sides.find(({ answer }) => answer?.ok && answer.status.localDisk === "faulty");
  // Disks are replaced only where both sides are active.
  if (faulty === undefined || !sides.every(({ answer }) => answer?.ok))
    return `gnt-instance activate-disks ${name}`;
  return `gnt-instance replace-disks ${faulty.node === primary ? "-p" : "-s"} ${name}`;
}

const isWhole = (answer: DeviceAnswer | undefined): boolean =>
  answer?.ok === true && !answer.status.degraded && answer.status.localDisk === "ok";
