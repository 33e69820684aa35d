/** Random configurations that cover all special cases of messages to allocators, with figures of nodes. */
import { initialConfiguration, Snapshot } from "@ganeti-ts/config";
import {
  type Claim,
  type ClaimUuid,
  type DiskTemplate,
  type DiskType,
  type DiskUuid,
  type ForthcomingDisk,
  type ForthcomingInstance,
  type InstanceObject,
  type InstanceUuid,
  type JobId,
  type NodeUuid,
  RealDisk,
} from "@ganeti-ts/protocol";
import { Dice } from "@ganeti-ts/testkit/simulation";
import type { LiveNode } from "../src/live-nodes.js";

export interface RandomConfiguration {
  readonly now: Snapshot;
  readonly live: ReadonlyMap<NodeUuid, LiveNode>;
}

const templates: readonly DiskTemplate[] = ["plain", "drbd", "file", "sharedfile", "rbd", "ext"];

/** A configuration that depends only on the seed. */
export function randomConfiguration(
  seed: number,
  { nodeCount = 5, instanceCount = 12, groupCount = 2 } = {},
): RandomConfiguration {
  const dice = new Dice(seed);
  const groups = Array.from({ length: groupCount }, (_, at) => ({
    name: `gruppe-ü${at}`,
    alloc_policy: dice.pick(["preferred", "preferred", "last_resort", "unallocable"] as const),
    tags: dice.some(["a", "htools:b"]),
    networks: dice.chance(0.5)
      ? { [uuid("7", at)]: { mode: "bridged" as const, link: "br1", vlan: "" } }
      : {},
    ipolicy: dice.chance(0.3) ? { "vcpu-ratio": 6.5 } : {},
    ndparams: dice.chance(0.2) ? { exclusive_storage: true } : {},
  }));
  const nodes = Array.from({ length: nodeCount }, (_, at) => {
    const state = dice.pick(["", "", "", "", "offline", "drained"]);
    return {
      // Names that look like numbers keep their place, too.
      name: dice.chance(0.1) ? String(nodeCount - at) : `node${at}.example.com`,
      primary_ip: `192.0.2.${(at % 250) + 1}`,
      group: dice.pick(groups).name,
      offline: state === "offline",
      drained: state === "drained",
      vm_capable: dice.chance(0.9),
      tags: dice.some(["rack:ä1", "htools:standby:x"], 0.3),
      ndparams: dice.chance(0.2) ? { spindle_count: 3 } : {},
    };
  });
  const content = initialConfiguration({
    clusterName: "cluster.example.com",
    nodes,
    groups,
    random: dice,
    now: 1,
    hypervisors: [dice.pick(["kvm", "fake"] as const)],
    diskTemplates: templates,
    cluster: { tags: dice.some(["htools:iextags:role", "größe:𝄞"]) },
  });
  const uuids = content.nodes.map((node) => node.uuid);
  const instances: InstanceObject[] = [];
  const claims: Claim[] = [];
  const disks: RealDisk[] = [];
  for (let at = 0; at < instanceCount; at++) {
    const { instance, isClaimed } = throwInstance(dice, at, uuids, disks);
    if (instance.forthcoming && isClaimed) claims.push(claimLike(instance, at, disks));
    else instances.push(instance);
  }
  const now = Snapshot.of({ ...content, instances, disks, claims });
  const live = content.nodes.flatMap((node): [NodeUuid, LiveNode][] =>
    node.offline || !node.vm_capable ? [] : [[node.uuid, throwFigures(dice, instances)]],
  );
  return { now, live: new Map(live) };
}

const uuid = <Uuid extends string>(kind: string, number: number): Uuid =>
  `${kind.padStart(8, "0")}-0000-4000-8000-${String(number).padStart(12, "0")}` as Uuid;

function throwInstance(
  dice: Dice,
  at: number,
  nodes: readonly NodeUuid[],
  disks: RealDisk[],
): { readonly instance: InstanceObject; readonly isClaimed?: boolean } {
  const [primary, other] = dice.shuffled(nodes) as [NodeUuid, NodeUuid | undefined];
  const usable = other === undefined ? templates.filter((one) => one !== "drbd") : templates;
  const template = dice.pick(usable) as DiskType;
  const own = Array.from({ length: dice.between(0, 2) }, (_, index): RealDisk => {
    // Some instances have disks of two types, as after an interrupted conversion.
    const type = dice.chance(0.05) ? "file" : template;
    return throwDisk(dice, at * 10 + index, index, type, primary, other);
  });
  disks.push(...own);
  const common = {
    uuid: uuid<InstanceUuid>("1", at),
    disks: own.map((disk) => disk.uuid),
    nics: Array.from({ length: dice.between(0, 2) }, (_, index) => ({
      uuid: uuid<never>("2", at * 10 + index),
      mac: `aa:00:00:00:00:${String(at % 100).padStart(2, "0")}`,
      nicparams: dice.chance(0.3) ? { mode: dice.pick(["routed", "ext"] as const) } : {},
      ...(dice.chance(0.3) && { network: uuid<never>("7", 0) }),
    })),
    tags: dice.some(["role:web", "env:test"], 0.3),
  };
  const state = dice.pick(["up", "up", "down", "offline"] as const);
  const beparams = dice.chance(0.7) ? { maxmem: dice.between(1, 40) * 128, vcpus: 2 } : {};
  const kind = dice.pick(["real", "real", "real", "claimed", "reserved", "unplaced"]);
  if (kind === "real") {
    const instance: InstanceObject = {
      ...common,
      name: `inst${at}.example.com`,
      primary_node: primary,
      os: "noop+default",
      hypervisor: "kvm",
      hvparams: {},
      beparams,
      osparams: {},
      osparams_private: {},
      admin_state: state,
      admin_state_source: "admin",
      disks_active: state === "up",
    };
    return { instance };
  }
  const instance: ForthcomingInstance = {
    ...common,
    forthcoming: true,
    beparams,
    disks: kind === "unplaced" ? [] : common.disks,
    ...(kind !== "unplaced" && { primary_node: primary }),
    ...(dice.chance(0.5) && { name: `inst${at}.example.com` }),
  };
  return { instance, isClaimed: kind === "claimed" };
}

/** A claim of one of the kinds that take capacity, in turn. */
function claimLike(instance: ForthcomingInstance, at: number, all: readonly RealDisk[]): Claim {
  const common = { uuid: instance.uuid as string as ClaimUuid, job: 7 as JobId };
  const disks = all
    .filter(({ uuid }) => instance.disks.includes(uuid))
    .map((disk): ForthcomingDisk => ({ ...disk, forthcoming: true, children: [] }));
  const { primary_node: node } = instance;
  if (node === undefined || at % 3 === 0) return { kind: "creation", ...common, instance, disks };
  const space = {
    ...{ node, memoryMib: at * 128, vcpus: at % 2, spindleUse: 1 },
    ...{ diskMib: { xenvg: at * 256 }, diskSpindles: at % 2 },
  };
  if (at % 3 === 1) return { kind: "space", ...common, ...space, disks, isBegun: true };
  const names = { nics: [], disks };
  return {
    ...{ kind: "commit", ...common, reservation: instance.uuid, names, isBegun: true },
    spaces: [space, { ...space, vcpus: 0 }],
  };
}

function throwDisk(
  dice: Dice,
  number: number,
  index: number,
  type: DiskType,
  primary: NodeUuid,
  other: NodeUuid | undefined,
): RealDisk {
  const isMirror = type === "drbd" && other !== undefined;
  return RealDisk.parse({
    uuid: uuid<DiskUuid>("3", number),
    dev_type: type,
    nodes: isMirror ? [primary, other] : [primary],
    logical_id: isMirror ? [primary, other, 11000, number, number, `s${number}`] : ["x", "y"],
    size: dice.between(1, 100) * 256,
    iv_name: `disk/${index}`,
    mode: dice.pick(["rw", "ro"]),
    children: [],
    ...(dice.chance(0.3) && { spindles: dice.between(1, 3) }),
  });
}

function throwFigures(dice: Dice, instances: readonly InstanceObject[]): LiveNode {
  const memoryTotalMib = dice.between(8, 128) * 1024;
  const running = dice.some(instances, 0.3).flatMap(({ name }) => name ?? []);
  return {
    memoryTotalMib,
    memoryNodeMib: dice.between(0, 2048),
    memoryFreeMib: dice.between(0, memoryTotalMib),
    cpuTotal: dice.between(1, 32),
    cpuNode: dice.between(0, 2),
    diskTotalMib: 1_000_000,
    diskFreeMib: dice.between(0, 1_000_000),
    spindleTotal: dice.between(0, 12),
    spindleFree: dice.between(0, 3),
    runningMib: new Map(running.map((name) => [name, dice.between(0, 30) * 128])),
  };
}
