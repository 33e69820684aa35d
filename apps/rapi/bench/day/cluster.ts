// Cluster at the beginning of the day: groups of equal nodes, on which most instances are mirrored and run.

import { type ConfigurationContent, initialConfiguration, Snapshot } from "@ganeti-ts/config";
import type { DiskObject, InstanceUuid, NodeUuid, RealInstance } from "@ganeti-ts/protocol";
import type { HostState } from "@ganeti-ts/simulated-nodes";
import { Dice } from "@ganeti-ts/testkit/simulation";
import { DiskMaker, type MachineFigures, machinesOf } from "@ganeti-ts/twin";

export interface DaySize {
  readonly nodeCount: number;
  readonly instanceCount: number;
  readonly groupCount: number;
}

/** Ten instances on each node, 200 nodes in each group. */
export const sizeOf = (nodeCount: number): DaySize => ({
  nodeCount,
  instanceCount: 10 * nodeCount,
  groupCount: Math.max(1, Math.round(nodeCount / 200)),
});

export interface DayCluster {
  readonly content: ConfigurationContent;
  readonly hosts: readonly HostState[];
}

const memoryTotalMib = 65_536;
const memoryNodeMib = 2048;
const diskTotalMib = 2_000_000;

/** A cluster that depends only on the size; built without jobs, which would take longer than the day. */
export function dayCluster(size: DaySize, now: number): DayCluster {
  const random = new Dice(1);
  const groups = Array.from({ length: size.groupCount }, (_, at) => ({
    name: at === 0 ? "default" : `group${at}`,
  }));
  const perGroup = Math.ceil(size.nodeCount / size.groupCount);
  const content = initialConfiguration({
    clusterName: "cluster.example.com",
    groups,
    nodes: Array.from({ length: size.nodeCount }, (_, at) => ({
      name: `node${at}.example.com`,
      primary_ip: `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`,
      group: groups[Math.floor(at / perGroup)]?.name ?? "default",
      ndparams: { spindle_count: 64 },
    })),
    cluster: { default_iallocator: "hail" },
    random,
    now,
  });
  // Ganeti's range of ports, 11000 to 14999, is too small for so many mirrors: those of the first instances are above
  // it, so that new instances find free ones.
  const maker = new DiskMaker({ ...content.cluster, highest_used_port: 20_000 }, random, now);
  const disks: DiskObject[] = [];
  const instances = Array.from({ length: size.instanceCount }, (_, at) => {
    const first = Math.floor((at % size.nodeCount) / perGroup) * perGroup;
    const inGroup = Math.min(perGroup, size.nodeCount - first);
    const place = (at % size.nodeCount) - first;
    const nodeAt = (offset: number) =>
      content.nodes[first + ((place + offset) % inGroup)]?.uuid as NodeUuid;
    const secondary = nodeAt(1 + random.between(0, inGroup - 2));
    const made = instanceOf(at, [nodeAt(0), secondary], { maker, random, now });
    disks.push(...made.disks);
    return made.instance;
  });
  // A day needs more ports than that range has: creations come before the removals that release others.
  const pool = Array.from({ length: Math.ceil(size.instanceCount / 100) }, (_, at) => 15_000 + at);
  const cluster = { ...content.cluster, tcpudp_port_pool: pool };
  const whole = { ...content, cluster, instances, disks };
  return { content: whole, hosts: hostsOf(Snapshot.of(whole)) };
}

interface Making {
  readonly maker: DiskMaker;
  readonly random: Dice;
  readonly now: number;
}

/** Makes an instance; one in ten has no mirror. */
function instanceOf(
  at: number,
  [primary, secondary]: readonly [NodeUuid, NodeUuid],
  { maker, random, now }: Making,
) {
  const name = `instance${at}.example.com`;
  const template = at % 10 === 9 ? "plain" : "drbd";
  const sizes = [{ sizeMib: random.pick([10_240, 20_480, 51_200]), spindles: undefined }];
  const disks = maker.disksOf({ name, template, primary, secondary, forthcoming: false }, sizes);
  const bytes = at.toString(16).padStart(6, "0").match(/../g) ?? [];
  const memoryMib = random.pick([1024, 2048, 4096]);
  const instance: RealInstance = {
    uuid: `00000001-0000-4000-8000-${String(at).padStart(12, "0")}` as InstanceUuid,
    name,
    primary_node: primary,
    os: "noop+default",
    hypervisor: "kvm",
    hvparams: {},
    osparams: {},
    osparams_private: {},
    beparams: { maxmem: memoryMib, minmem: memoryMib, vcpus: 1 },
    admin_state: "up",
    admin_state_source: "admin",
    disks_active: true,
    disks: disks.map(({ uuid }) => uuid),
    nics: [
      {
        uuid: `00000005-0000-4000-8000-${String(at).padStart(12, "0")}`,
        mac: `aa:00:00:${bytes.join(":")}`,
        nicparams: {},
      },
    ],
    tags: [],
    ...{ serial_no: 1, ctime: now, mtime: now },
  };
  return { instance, disks };
}

/** All machines have the same size, so that the balance depends on what they hold. */
function hostsOf(now: Snapshot): readonly HostState[] {
  const machines = new Map<string, MachineFigures>();
  for (const { uuid, name } of now.nodes()) {
    const { primary, secondary } = now.instancesOfNode(uuid);
    let memoryMib = 0;
    for (const { beparams } of primary) memoryMib += Number(beparams?.maxmem);
    let diskMib = 0;
    for (const instance of [...primary, ...secondary]) {
      for (const { size = 0, children } of now.disksOf(instance)) {
        diskMib += size + (children.length > 0 ? 128 : 0);
      }
    }
    machines.set(name, {
      ...{ memoryTotalMib, memoryNodeMib, cpuTotal: 64, cpuNode: 1 },
      memoryFreeMib: memoryTotalMib - memoryNodeMib - memoryMib,
      ...{ diskTotalMib, diskFreeMib: diskTotalMib - diskMib },
    });
  }
  const figures = { machines, instances: new Map() };
  return machinesOf(now, { figures, systems: ["noop+default"] }).hosts;
}
