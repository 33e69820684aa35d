// Faults of Ganeti's node daemons at each call of an operation: each job ends, nothing happens twice, nothing is left over.
// The suite takes every third call. GANETI_FAULTS=each for one fault at each call, GANETI_FAULTS=all for every fault at each
// call, GANETI_FAULTS="killed during" for this fault at each call.
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { diskTemplate, nodesOfInstance } from "@ganeti-ts/config";
import { catalogEntry } from "@ganeti-ts/node-calls/catalog";
import type { JsonObject } from "@ganeti-ts/protocol";
import { benchUnavailable, bringUp, type ReferenceBench } from "@ganeti-ts/reference";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type BenchCluster, type EndedJob, openBenchCluster } from "./bench-cluster.js";
import { type CallPlace, type FaultKind, faultKinds, type MadeCall } from "./faulty-nodes.js";
import { repeated } from "./killed-server.js";
import { faultsOn } from "./remains.js";

const problem = benchUnavailable();
if (problem !== undefined) console.warn(`SKIPPED, no test has run here: ${problem}`);

interface Operation {
  /** Name of the affected instance. */
  readonly about: string;
  /** Name of the instance afterwards, if the operation changes it. */
  readonly becomes?: string;
  /** Whether the instance exists before the operation. */
  readonly exists: boolean;
  /** How that instance is made, and what it has before; by default like the one that is created. */
  readonly made?: JsonObject;
  readonly opcode: JsonObject;
  /** A fault that is always tried, in addition to the chosen calls. */
  readonly always?: { readonly call: string; readonly kind: FaultKind };
}

const operations: Readonly<Record<string, Operation>> = JSON.parse(
  readFileSync(new URL("fault-cases.json", import.meta.url), "utf8"),
);

const [one, two] = ["node1.example.com", "node2.example.com"] as const;
const mirrored = "inst20.example.com";
const onVolume = "inst21.example.com";

const creation = (name: string, more: JsonObject): JsonObject => ({
  ...operations.create?.opcode,
  instance_name: name,
  ...more,
});
const standing = [
  creation(mirrored, { pnode: one, snode: two }),
  creation(onVolume, { disk_template: "plain", pnode: two, snode: null }),
];

/** A verification takes as long as an operation: it follows every case of this number, and the last one. */
const verifiedEvery = 6;
/** Number of failed cases after which a test ends. */
const wrongMax = 5;
/** Longest time (ms) for the cleanup after a job, which looks every 3 s here. */
const patienceMs = 600_000;

describe.skipIf(problem !== undefined)("A node daemon of Ganeti that fails at a call", () => {
  let bench: ReferenceBench;
  let cluster: BenchCluster;
  let verifiedBefore: readonly string[];
  /** Nodes of the mirrored instance when the calls of an operation were listed. */
  let listedNodes: readonly string[] = [];

  beforeAll(async () => {
    bench = await bringUp({ storage: true, populated: false });
    await bench.stopMaster();
    cluster = await openBenchCluster(bench);
    for (const opcode of standing) await succeed(opcode);
    verifiedBefore = await cluster.verified();
  });
  afterAll(async () => {
    await cluster?.nodes.mend();
    await cluster?.close();
    await bench?.down();
  });

  async function succeed(opcode: JsonObject): Promise<void> {
    const { status, results, log } = await cluster.run(opcode);
    const why = status === "success" ? [] : [...log, JSON.stringify(results)];
    expect([opcode.OP_ID, status, why]).toEqual([opcode.OP_ID, "success", []]);
  }

  const exists = (name: string) => cluster.snapshot().findInstance(name) !== undefined;
  const templateOf = (name: string) =>
    diskTemplate(cluster.snapshot(), cluster.snapshot().expectInstance(name));
  const faultsNow = () => faultsOn(bench, cluster.snapshot());

  /** Creates or removes the instance, as the operation needs it. */
  async function prepare({ about, becomes, exists: wanted, made = {} }: Operation): Promise<void> {
    const removal = (name: string) => ({ OP_ID: "OP_INSTANCE_REMOVE", instance_name: name });
    if (becomes !== undefined && exists(becomes)) await succeed(removal(becomes));
    const isOther =
      exists(about) && templateOf(about) !== (made.disk_template ?? templateOf(about));
    if (isOther) await succeed(removal(about));
    if (exists(about) === wanted) return;
    await succeed(wanted ? creation(about, made) : removal(about));
  }

  /** Faults that remain after the time of the cleanup; does not wait for those that only an administrator can repair. */
  async function remaining(): Promise<readonly string[]> {
    for (const end = Date.now() + patienceMs; ; await pause(100)) {
      const faults = faultsNow();
      if (faults.every((fault) => needsPerson(fault)) || Date.now() > end) return faults;
    }
  }

  /** Repairs as an administrator does: the migration is completed, what was created or half removed is removed. */
  async function repair({ opcode, about, becomes = about }: Operation): Promise<void> {
    if (about !== mirrored && about !== onVolume) {
      for (const name of [about, becomes]) {
        if (exists(name)) await cluster.run({ OP_ID: "OP_INSTANCE_REMOVE", instance_name: name });
      }
      return;
    }
    const on = (OP_ID: string, more: JsonObject = {}) =>
      cluster.run({ OP_ID, instance_name: about, ...more });
    if (opcode.OP_ID === "OP_INSTANCE_MIGRATE") {
      await on("OP_INSTANCE_MIGRATE", { cleanup: true });
      await on("OP_INSTANCE_ACTIVATE_DISKS", { wait_for_sync: true });
    }
    if (faultsNow().some((fault) => fault.endsWith(`${about} is missing`)))
      await on("OP_INSTANCE_STARTUP");
  }

  /** Folders of transfers whose names the job did not learn, or which it could not remove: see docs/adopt.md. */
  function removeTransfers(faults: readonly string[]): void {
    for (const fault of faults) {
      const [, node, name = ""] = leftTransfer.exec(fault) ?? [];
      const runFolder = bench.nodes.find((one) => one.name === node)?.runFolder;
      if (runFolder !== undefined)
        rmSync(join(runFolder, "import-export", name), { recursive: true });
    }
  }

  /** The place of a call in an operation on an instance that may have changed its nodes since the calls were listed. */
  function turned({ node, call, count }: CallPlace): CallPlace {
    const nodes = nodesOf(mirrored);
    const at = listedNodes.indexOf(node);
    return { node: nodes[at] ?? node, call, count };
  }

  /** Names of the primary and secondary node. */
  function nodesOf(name: string): readonly string[] {
    const now = cluster.snapshot();
    const instance = now.findInstance(name);
    const uuids = instance === undefined ? [] : nodesOfInstance(now, instance);
    return uuids.map((uuid) => now.expectNode(uuid).name);
  }

  /** Problems found after the operation has met the fault. */
  async function wrongAfter(
    operation: Operation,
    place: CallPlace,
    kind: FaultKind,
  ): Promise<readonly string[]> {
    await prepare(operation);
    const { nodes } = cluster;
    nodes.begin(operation.about === mirrored ? turned(place) : place, kind);
    const job = await cluster.run(operation.opcode);
    const isMet = nodes.isFaultMet;
    const { made } = nodes;
    nodes.begin();
    await nodes.mend();
    const wrong = [...(isMet ? [] : ["the call was not made"]), ...unclear(job), ...repeated(made)];
    const left = await remaining();
    const verified = left.length === 0 ? [] : await cluster.verified();
    const said = [...job.log, JSON.stringify(job.results), ...verified].join("\n");
    wrong.push(...left.filter((fault) => isLostData(operation, fault) || !isNamed(fault, said)));
    removeTransfers(left);
    if (job.status !== "success") await repair(operation);
    wrong.push(...(await remaining()));
    return wrong.length === 0 ? wrong : [...wrong, `the job said: ${said}`];
  }

  /** Errors and warnings of a verification that it did not report at first. */
  async function newFindings(): Promise<readonly string[]> {
    return (await cluster.verified()).filter((line) => !verifiedBefore.includes(line));
  }

  test.each(Object.keys(operations))(
    "an operation to %s ends clearly, does nothing twice and leaves nothing behind",
    { timeout: 14_400_000 },
    async (name) => {
      const operation = operations[name] as Operation;
      await prepare(operation);
      listedNodes = nodesOf(mirrored);
      cluster.nodes.begin();
      await succeed(operation.opcode);
      const places = withoutPolls(cluster.nodes.made);
      expect(places.length).toBeGreaterThan(5);
      expect(await remaining()).toEqual([]);
      const wrong: object[] = [];
      const cases = chosenCases(places, operation.always);
      expect(cases.length).toBeGreaterThan(0);
      for (const [number, [{ node, call, count }, kind]] of cases.entries()) {
        const found = [...(await wrongAfter(operation, { node, call, count }, kind))];
        if (number % verifiedEvery === 0 || number === cases.length - 1)
          found.push(...(await newFindings()).map((line) => `verify: ${line}`));
        if (found.length > 0) wrong.push({ kind, at: `${call} ${count} on ${node}`, found });
        if (wrong.length >= wrongMax) break;
      }
      console.log(`${name}: ${places.length} calls, ${cases.length} faults`);
      expect(wrong).toEqual([]);
    },
  );
});

/** Places of the calls; of calls that only look, and are repeated until they find what they wait for, the first one. */
function withoutPolls(made: readonly MadeCall[]): readonly CallPlace[] {
  const seen = new Set<string>();
  return made.flatMap(({ place, node, method, arguments: args }) => {
    if (catalogEntry(method).repeat !== "looks") return [place];
    const text = `${node} ${method} ${JSON.stringify(args)}`;
    if (seen.has(text)) return [];
    seen.add(text);
    return [place];
  });
}

/** Faults in turn at some calls, or those that the variable asks for. */
function chosenCases(
  places: readonly CallPlace[],
  always: Operation["always"],
): readonly (readonly [CallPlace, FaultKind])[] {
  const { GANETI_FAULTS: asked = "some" } = process.env;
  const every = { some: 3, each: 1 }[asked];
  if (every !== undefined) {
    const added = places.filter(({ call }) => call === always?.call).slice(0, 1);
    return [
      ...added.map((place) => [place, always?.kind as FaultKind] as const),
      ...places
        .filter((_, at) => at % every === 0)
        .map((place, at) => [place, faultKinds[at % faultKinds.length] as FaultKind] as const),
    ];
  }
  const kinds = faultKinds.filter((kind) => asked === "all" || kind === asked);
  return places.flatMap((place) => kinds.map((kind) => [place, kind] as const));
}

/** A job ends with success, or with an error that says something. */
function unclear({ status, results }: EndedJob): readonly string[] {
  if (status === "success") return [];
  const [error] = results as readonly (readonly [string, readonly unknown[]])[];
  const isSaid = status === "error" && String(error?.[1]?.[0] ?? "") !== "";
  return isSaid ? [] : [`the job ended as ${status} with ${JSON.stringify(results)}`];
}

/** A conversion or a renaming may leave a disk in neither form, but none without its volume or file. */
const isLostData = ({ opcode }: Operation, fault: string): boolean =>
  ["OP_INSTANCE_SET_PARAMS", "OP_INSTANCE_RENAME"].includes(String(opcode.OP_ID)) &&
  fault.endsWith(" is missing");

const leftTransfer = /^(\S+): transfers: (\S+) is left over$/;

/** Instances and disks that nodes lack, instances where they do not belong, and folders of transfers. */
const needsPerson = (fault: string): boolean =>
  fault.includes(": instances: ") || fault.endsWith(" is missing") || leftTransfer.test(fault);

/** Whether the job or a verification named what is left: the thing, or the transfer that may have been started. */
const isNamed = (fault: string, said: string): boolean => {
  const [, thing] = /: \w+: (\S+) is/.exec(fault) ?? [];
  if (thing !== undefined && said.includes(thing)) return true;
  const [, node, name = ""] = leftTransfer.exec(fault) ?? [];
  return node !== undefined && said.includes(`Failed to start ${name.split("-")[0]} on ${node}`);
};
