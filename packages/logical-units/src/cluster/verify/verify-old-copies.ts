/** Old copies of disks left by ended jobs, kept until the new copy is complete. */
import { claimsOfKind } from "@ganeti-ts/config";
import type { DeviceAnswer } from "@ganeti-ts/node-calls";
import type { DiskUuid, NodeUuid, RealInstance } from "@ganeti-ts/protocol";
import { nodeName } from "../../instance/state.js";
import type { Findings } from "./findings.js";
import type { GroupFacts } from "./verify-facts.js";

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
