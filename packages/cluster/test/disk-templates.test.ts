// Life cycles of instances on simulated nodes in virtual time, for each disk template. The cluster must be sound after each step.
import type { JobId, Json, JsonObject } from "@ganeti-ts/protocol";
import { briskDurations, noopOs, SimulatedNodes } from "@ganeti-ts/simulated-nodes";
import { faultsAtRest, fillDevices } from "@ganeti-ts/simulated-nodes/at-rest";
import { isThorough } from "@ganeti-ts/testkit";
import { Dice, VirtualClock } from "@ganeti-ts/testkit/simulation";
import {
  allTemplates,
  creation,
  device,
  removal,
  stepsOf,
  surprises,
  type Template,
} from "@ganeti-ts/testkit/template-steps";
import { expect, test } from "vitest";
import { type Cluster, createCluster, memoryStores, openCluster } from "../src/index.js";
import { portsOf, resolver } from "./a-cluster.js";

/** Templates of ordinary runs of the suite, one of each kind. */
const usual: readonly Template[] = ["plain", "drbd", "sharedfile"];

interface Ended {
  readonly status: string;
  readonly result: Json;
}

interface Stage {
  readonly cluster: Cluster;
  readonly nodes: SimulatedNodes;
  /** Runs an opcode as a job; returns its end, or that of the first failed job among those it has submitted. */
  run(opcode: JsonObject): Promise<Ended>;
}

async function fiveNodes(): Promise<Stage> {
  const clock = new VirtualClock();
  /** Advances the clock until the promise is settled. */
  async function passed<T>(happening: Promise<T>): Promise<T> {
    let isOver = false;
    const over = () => {
      isOver = true;
    };
    happening.then(over, over);
    await clock.pass(3_600_000, () => isOver);
    return happening;
  }
  const nodes = await SimulatedNodes.open({
    ...{ clock, durations: briskDurations, hosts: [] },
    newHost: (name) => ({
      ...{ name, operatingSystems: [noopOs], bridges: ["xen-br0"], devices: { [device]: 1024 } },
    }),
  });
  const stores = memoryStores({ clock });
  const basics = { clock, random: new Dice(1), resolver, nodes: portsOf(nodes) };
  const addresses = [1, 2, 3, 4, 5].map((at) => ({
    ...{ name: `node${at}.example.com`, primary_ip: `192.0.2.${at}` },
  }));
  const settings = { hypervisors: ["kvm" as const], disk_templates: [...allTemplates] };
  await passed(
    createCluster(
      { name: "cluster.example.com", nodes: addresses, ...settings },
      { ...basics, store: stores.config },
    ),
  );
  const cluster = await passed(openCluster({ ...basics, stores }));
  fillDevices(nodes, [device]);
  async function ended(id: JobId): Promise<Ended> {
    const { status, results } = await passed(cluster.queue.ended(id));
    const result = results[0] ?? null;
    const { jobs = [] } = (result ?? {}) as { jobs?: readonly [boolean, JobId][] };
    for (const [, job] of jobs) {
      const one = await ended(job);
      if (one.status !== "success") return one;
    }
    return { status, result };
  }
  return {
    ...{ cluster, nodes },
    run: async (opcode) => ended(await cluster.queue.submit([opcode])),
  };
}

/** Errors found by verification, and differences between nodes and configuration. */
async function unsound({ run, cluster, nodes }: Stage): Promise<readonly unknown[]> {
  const found = [...faultsAtRest(cluster.snapshot(), nodes)] as unknown[];
  const group = { group_name: "default" };
  for (const [opcode, sound] of [
    [{ OP_ID: "OP_CLUSTER_VERIFY_CONFIG" }, true],
    [{ OP_ID: "OP_CLUSTER_VERIFY_GROUP", ...group }, true],
    [{ OP_ID: "OP_GROUP_VERIFY_DISKS", ...group }, [{}, [], {}]],
  ] as const) {
    const { result } = await run(opcode);
    if (JSON.stringify(result) !== JSON.stringify(sound)) found.push([opcode.OP_ID, result]);
  }
  return found;
}

test.each(allTemplates.filter((one) => isThorough || usual.includes(one)))(
  "an instance with the disk template %s survives all operations, and nothing is left after its removal",
  async (template) => {
    const stage = await fiveNodes();
    const { run } = stage;
    const group_name = "second";
    for (const opcode of [
      { OP_ID: "OP_GROUP_ADD", group_name },
      {
        OP_ID: "OP_GROUP_ASSIGN_NODES",
        group_name,
        nodes: ["node4.example.com", "node5.example.com"],
      },
      creation(template),
    ]) {
      expect(await run(opcode)).toMatchObject({ status: "success" });
    }
    const steps = stepsOf(template);
    for (const step of [...steps, { title: "it is removed", opcodes: [removal] }]) {
      expect(await surprises(run, step, template)).toEqual([]);
      expect([step.title, await unsound(stage)]).toEqual([step.title, []]);
    }
    expect([...stage.cluster.snapshot().disks()]).toEqual([]);
    await stage.cluster.close();
  },
);
