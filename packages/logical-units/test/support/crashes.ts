// A server that dies, or a job that is killed or loses an answer, at each effect of an operation; what the next server finds.

import { createMemoryStore, defaultPolicy, devicesOfClaim } from "@ganeti-ts/config";
import type { NodeBackend } from "@ganeti-ts/node-calls";
import {
  type Claim,
  type Clock,
  type InstanceObject,
  type JsonObject,
  type RealDisk,
  systemClock,
} from "@ganeti-ts/protocol";
import {
  commandsOfVerification,
  DumpedSystems,
  faultsAtRest,
  fillDevices,
  lostData,
  lostSystems,
  missingDevices,
  opcodeOf,
} from "@ganeti-ts/simulated-nodes/at-rest";
import { isThorough } from "@ganeti-ts/testkit";
import { Fuse, Killing, LosingAnswer } from "@ganeti-ts/testkit/simulation";
import { describe, expect, test } from "vitest";
import { killAll } from "./kill-all.js";
import { aMinuteLater, recoverAll } from "./next-server.js";
import {
  copiesOf,
  type Ground,
  type SimulatedCluster,
  simulatedCluster,
  simulatedNodes,
} from "./simulated.js";

export interface Scenario {
  readonly name: string;
  readonly before: readonly JsonObject[];
  readonly opcode: JsonObject;
  /** Error of the repeated opcode if the interrupted one had finished. */
  readonly mayBeDone?: RegExp;
  /** Damages the nodes beforehand. */
  readonly damage?: (cluster: SimulatedCluster) => Promise<void>;
  /** Volume on the first node that is kept for its owner until it is part of an instance. */
  readonly adopts?: string;
  /** Removes the data of the instance, or finds them gone. */
  readonly isDestructive?: true;
  /** Jobs after which nothing is held any more; by default the same opcode. */
  readonly resolvedBy?: readonly JsonObject[];
}

type Way = "dies before" | "dies after" | "is killed before" | "is killed after" | "gets no answer";

/** The end before an effect finds what the end after the former one finds, unless several effects run at a time. */
const ways: readonly Way[] = [
  ...(["dies after", "is killed after", "gets no answer"] as const),
  ...(isThorough ? (["dies before", "is killed before"] as const) : []),
];

/** Each effect is met by one of the ways, and in the long checks by all of them. */
const stride = isThorough ? 1 : ways.length;

/** @param withoutClaim names of scenarios that hold no resources of nodes beyond those of their instance */
export function describeCrashes(
  scenarios: readonly Scenario[],
  withoutClaim: readonly string[] = [],
): void {
  describe("a server that dies, or a job that is killed or loses an answer, during", () => {
    test.each(scenarios)("$name leaves no devices without an owner", async (one) => {
      const beginning = await begun(one);
      const seen = { cuts: 0, recovered: 0 };
      for (const [nth, way] of ways.entries()) {
        for (let at = 1 + (nth % stride); ; at += stride) {
          const { wasCut, droppedCount } = await cutOnce(beginning, at, way);
          if (!wasCut) break;
          seen.cuts++;
          if (droppedCount > 0) seen.recovered++;
        }
      }
      expect(seen.cuts).toBeGreaterThan(6 / stride);
      if (!withoutClaim.includes(one.name)) expect(seen.recovered).toBeGreaterThan(3 / stride);
    });
  });
}

interface Stage extends Ground {
  readonly scenario: Scenario;
  /** The instances at the start of the operation. */
  readonly instances: readonly InstanceObject[];
  readonly dumped: DumpedSystems;
  /** Those that had the stage, dead ones among them. */
  readonly servers: SimulatedCluster[];
}

const templates = [...(["plain", "drbd", "file", "sharedfile", "rbd", "ext", "blockdev"] as const)];

/** Existing device with a system. */
export const device = "/dev/disk/by-id/one";

/** Returns a function that makes stages at the start of the operation. */
async function begun(scenario: Scenario): Promise<() => Promise<Stage>> {
  const host = {
    volumeGroups: { xenvg: { "/dev/sda3": 20_000, "/dev/sdb1": 20_000 } },
    devices: { [device]: 1024 },
  };
  const simulated = await simulatedNodes(host, { nodeCount: 3 });
  const stage = { store: createMemoryStore(), simulated, dumped: new DumpedSystems(), servers: [] };
  const first = await begin({ scenario, instances: [], ...stage });
  first.die();
  const instances = [...first.config.snapshot.instances()];
  const copied = await copiesOf(first, stage.store);
  return async () => ({
    ...{ scenario, instances, ...(await copied()) },
    ...{ dumped: new DumpedSystems(stage.dumped), servers: [] },
  });
}

/** A server; `between` is what happens to its calls. */
async function serverOf(
  { store, simulated, dumped, servers }: Stage,
  options: Parameters<typeof simulatedCluster>[0],
  between = (nodes: NodeBackend) => nodes,
): Promise<SimulatedCluster> {
  const all = { store, simulated, nodeCount: 3, ...options };
  const server = await simulatedCluster({
    ...all,
    between: (nodes) => between(dumped.nodes(nodes)),
  });
  servers.push(server);
  return server;
}

/** The server that brings the cluster to the start of the operation. */
async function begin(stage: Stage): Promise<SimulatedCluster> {
  const { before, damage } = stage.scenario;
  const first = await serverOf(stage, {
    cluster: {
      enabled_disk_templates: templates,
      file_storage_dir: "/srv/files",
      shared_file_storage_dir: "/srv/shared",
      ipolicy: defaultPolicy(templates),
    },
  });
  fillDevices(stage.simulated, [device]);
  for (const one of before) {
    const ran = await first.run(one);
    expect(ran.status, JSON.stringify(ran.result)).toBe("success");
  }
  await damage?.(first);
  return first;
}

async function cutOnce(beginning: () => Promise<Stage>, at: number, way: Way) {
  const stage = await beginning();
  try {
    return await cutOn(stage, at, way);
  } finally {
    for (const server of stage.servers) server.die();
  }
}

async function cutOn(stage: Stage, at: number, way: Way) {
  const { scenario, instances } = stage;
  const { opcode, isDestructive } = scenario;
  const reserved = instances.find((one) => one.forthcoming);
  const wasInstalled = instances.length > 0 && reserved === undefined && isDestructive !== true;
  const wasCut = await cut(stage, opcode, at, way);
  const where = `at effect ${at}: ${way} it`;
  const next = await serverOf(stage, { seed: 3, clock: aMinuteLater });
  const isWhole = wasInstalled || (!wasCut && isInstalling(scenario));
  const dropped = await recover(next);
  // Old copies are kept until a new one is complete; verification names them with the command that
  // completes it.
  const open = [...next.config.snapshot.claims()].filter(isOldCopy);
  const told = new Set(open.map(({ uuid }) => `${uuid} is still held`));
  const faults = [...faultsOf(stage, next, isWhole), ...faultsOfExport(stage, next)];
  expect(
    faults.filter((fault) => !told.has(fault)),
    where,
  ).toEqual([]);
  if (reserved !== undefined) {
    expect(next.config.snapshot.instance(reserved.uuid)?.disks, where).toEqual(reserved.disks);
  }
  if (!wasCut) expect(open, where).toEqual([]);
  if (open.length > 0) {
    expect(await commandsOfVerification(next), where).toEqual([
      expect.stringMatching(/^gnt-instance (activate-disks|replace-disks -[ps]) web1.example.com$/),
    ]);
  }
  if (!wasCut) return { wasCut, droppedCount: dropped.length };
  const { isDone, droppedCount } = await resolve(scenario, next, where);
  expect(faultsOf(stage, next, wasInstalled || (isDone && isInstalling(scenario))), where).toEqual(
    [],
  );
  return { wasCut, droppedCount: dropped.length + droppedCount };
}

/** Whether the instance has its system after the operation, which makes it. */
const isInstalling = ({ opcode, adopts }: Scenario): boolean =>
  opcode.OP_ID === "OP_INSTANCE_CREATE" && adopts === undefined;

/** `isWhole`: all instances have their systems. */
function faultsOf(stage: Stage, next: SimulatedCluster, isWhole: boolean): readonly string[] {
  const { scenario, simulated, dumped } = stage;
  const { snapshot } = next.config;
  const faults = [...faultsAtRest(snapshot, simulated)];
  if (scenario.isDestructive !== true) faults.push(...lostData(snapshot, simulated));
  if (isWhole) faults.push(...lostSystems(snapshot, simulated, { system: dumped.of }));
  faults.push(...dumped.lostExports(simulated, next.nodes));
  const isGone = [...snapshot.instances()].length === 0;
  const { adopts } = scenario;
  const isOwn = adopts === undefined || next.volumesOn(1).includes(adopts);
  if (!isOwn && isGone) faults.push(`${adopts} is lost`);
  return faults;
}

/** An export that removes the instance leaves one of them. */
function faultsOfExport({ scenario, simulated }: Stage, { config, nodes }: SimulatedCluster) {
  if (scenario.opcode.OP_ID !== "OP_BACKUP_EXPORT") return [];
  const isThere = config.snapshot.findInstance("web1.example.com") !== undefined;
  const isExported = nodes.some((node) => simulated.stateOf(node)?.exports["web1.example.com"]);
  return isThere || isExported ? [] : ["neither the instance nor its export is left"];
}

/** Finishes the operation. `isDone`: it has been carried out as a whole. */
async function resolve(scenario: Scenario, next: SimulatedCluster, where: string) {
  const { opcode, mayBeDone, resolvedBy = [opcode] } = scenario;
  let isDone = true;
  for (const one of resolvedBy) {
    const again = await next.run(one);
    if (again.status !== "success") isDone = false;
    const isOver = again.status === "success" || mayBeDone?.test(JSON.stringify(again.result));
    expect(isOver, `${where}: ${JSON.stringify(again.result)}`).toBe(true);
  }
  const dropped = [...(await recover(next))];
  for (const command of await commandsOfVerification(next)) {
    const ran = await next.run(opcodeOf(command));
    expect(ran.status, `${where}: ${command}: ${JSON.stringify(ran.result)}`).toBe("success");
    await recover(next);
  }
  // An operation that need not be repeated has left nothing undone.
  expect(devicesMissing(next), where).toEqual([]);
  return { isDone, droppedCount: dropped.length };
}

const devicesMissing = ({ config: { snapshot: now }, simulated }: SimulatedCluster) =>
  [...now.instances()].flatMap((one) =>
    one.forthcoming
      ? []
      : (now.disksOf(one) as RealDisk[]).flatMap((disk) =>
          missingDevices(now, simulated, one, disk),
        ),
  );

/** Whether the operation was interrupted there; it has no further effects otherwise. */
async function cut(stage: Stage, opcode: JsonObject, at: number, way: Way): Promise<boolean> {
  const place = way.endsWith("before") ? "before" : "after";
  if (way.startsWith("dies")) {
    const fuse = new Fuse(at, place);
    const options = { seed: 2, store: fuse.store(stage.store) };
    const doomed = await serverOf(stage, options, (nodes) => fuse.nodes(nodes));
    return Promise.race([fuse.over.then(() => true), doomed.run(opcode).then(() => false)]);
  }
  if (way === "gets no answer") {
    const losing = new LosingAnswer(at);
    const options = { seed: 2, clock: hurriedClock };
    const deaf = await serverOf(stage, options, (nodes) => losing.nodes(nodes));
    await deaf.run(opcode);
    return losing.wasReached;
  }
  const killing = new Killing(at, place);
  const options = { seed: 2, store: killing.store(stage.store) };
  const killed = await serverOf(stage, options, (nodes) => killing.nodes(nodes));
  killing.kill = () => killAll(killed.queue);
  await killed.run(opcode);
  while (killed.queue.heldCount > 0) await new Promise((resolve) => setTimeout(resolve, 1));
  return killing.wasReached;
}

/** Waits for nodes take a thousandth of their time. */
const hurriedClock: Clock = {
  ...systemClock,
  after: (delayMs, then) => systemClock.after(delayMs / 1000, then),
};

const recover = ({ config, simulated }: SimulatedCluster) => recoverAll(config, simulated);

/** Whether all devices of the claim are kept until a new copy is complete. */
function isOldCopy(claim: Claim): boolean {
  const disks = devicesOfClaim(claim);
  return disks.length > 0 && disks.every(({ copyOf }) => copyOf !== undefined);
}
