// SIGKILL of our server under load, on an adopted cluster: nothing acknowledged is lost, nothing happens twice.
// GANETI_LOAD_KILLS=100 for more kills than the suite makes.
import { rmSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { benchUnavailable, type ReferenceBench, withReferenceCluster } from "@ganeti-ts/reference";
import { Dice } from "@ganeti-ts/testkit/simulation";
import { describe, expect, test } from "vitest";
import {
  handBack,
  type Master,
  newDataDirectory,
  removed,
  startMaster,
  until,
  verified,
} from "./adoption.js";
import { ClusterLoad } from "./cluster-load.js";
import { callsAreOver, repeated } from "./killed-server.js";
import { configurationIn, faultsOn } from "./remains.js";

const problem = benchUnavailable();
if (problem !== undefined) console.warn(`SKIPPED, no test has run here: ${problem}`);

const kills = Number(process.env.GANETI_LOAD_KILLS ?? 10);
/** Time (ms) that each server runs under load before it is killed. */
const [lifeMinMs, lifeMaxMs] = [100, 1500];

const [one, two, three] = ["node1.example.com", "node2.example.com", "node3.example.com"] as const;
const mirrored = "inst20.example.com";

interface JobInfo {
  readonly id: number;
  readonly status: string;
  readonly ops: readonly { readonly OP_ID: string; readonly instance_name?: string }[];
}

const isEnded = ({ status }: JobInfo) => ["success", "error", "canceled"].includes(status);

/** All jobs by number, once every one has ended. */
async function endedJobs(load: ClusterLoad): Promise<ReadonlyMap<number, JobInfo>> {
  const jobs = async () => (await load.ask<readonly JobInfo[]>("GET", "/2/jobs?bulk=1")) ?? [];
  await until(async () => (await jobs()).every(isEnded), "all jobs have ended");
  return new Map((await jobs()).map((job) => [Number(job.id), job]));
}

/** Acknowledged jobs that are missing, or are other jobs than those that were acknowledged. */
const lostJobs = (load: ClusterLoad, jobs: ReadonlyMap<number, JobInfo>): readonly string[] =>
  load.acknowledged.flatMap(({ id, opcode }) => {
    const found = jobs.get(id)?.ops[0];
    const isSame =
      found?.OP_ID === opcode.OP_ID &&
      (opcode.instance_name === undefined || found?.instance_name === opcode.instance_name);
    return isSame ? [] : [`job ${id}, ${opcode.OP_ID}, became ${found?.OP_ID}`];
  });

/** Instances whose creation has succeeded, and no removal of which has. */
function expectedInstances(jobs: ReadonlyMap<number, JobInfo>): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { status, ops } of [...jobs.values()].toSorted((a, b) => a.id - b.id)) {
    const [{ OP_ID, instance_name = "" } = { OP_ID: "" }] = ops;
    if (status !== "success") continue;
    if (OP_ID === "OP_INSTANCE_CREATE") names.add(instance_name);
    if (OP_ID === "OP_INSTANCE_REMOVE") names.delete(instance_name);
  }
  return names;
}

/** Each of these instances is created once and removed once; moves of the other one are repeated. */
const isAboutOne = ({ arguments: args }: { readonly arguments: unknown }): boolean =>
  /"load\d+\.example\.com"/.test(JSON.stringify(args));

/** As an administrator: what failed jobs have left is completed, or removed. Faults that remain are given. */
async function settled(bench: ReferenceBench, load: ClusterLoad, data: string) {
  await load.submit({ OP_ID: "OP_INSTANCE_MIGRATE", instance_name: mirrored, cleanup: true });
  await load.submit({
    OP_ID: "OP_INSTANCE_ACTIVATE_DISKS",
    instance_name: mirrored,
    wait_for_sync: true,
  });
  await endedJobs(load);
  const instances =
    (await load.ask<readonly { readonly id: string }[]>("GET", "/2/instances")) ?? [];
  for (const { id: instance_name } of instances) {
    if (instance_name !== mirrored)
      await load.submit({ OP_ID: "OP_INSTANCE_REMOVE", instance_name });
    else await load.submit({ OP_ID: "OP_INSTANCE_STARTUP", instance_name });
  }
  await endedJobs(load);
  // Recovery runs every 30 s.
  let faults: readonly string[] = [];
  await until(async () => {
    faults = faultsOn(bench, await configurationIn(data));
    return faults.length === 0;
  }, "the nodes hold what the configuration says").catch(() => undefined);
  return faults;
}

describe.skipIf(problem !== undefined)("Our server under load, killed with SIGKILL", () => {
  test(
    `loses nothing that was acknowledged and does nothing twice, ${kills} times`,
    { timeout: 300_000 + kills * 60_000 },
    () =>
      withReferenceCluster({ storage: true, populated: false }, async (bench) => {
        const errors = await verified(bench);
        await bench.stopMaster();
        const data = newDataDirectory();
        const dice = new Dice(1);
        const load = new ClusterLoad(data, { mirrored, nodes: [two, three], dice });
        try {
          // Recorded are node calls alone: without this socket of luxid there is no proxy before that of our server.
          rmSync(bench.luxiSocket, { force: true });
          const { recording, value: master } = await bench.record(async () => {
            let server: Master = await startMaster(bench, data, ["--adopt"]);
            await load.submit({
              ...{ OP_ID: "OP_INSTANCE_CREATE", mode: "create", instance_name: mirrored, nics: [] },
              ...{ os_type: "noop+default", disk_template: "drbd", disks: [{ size: 16 }] },
              ...{ pnode: one, snode: two, beparams: { memory: 16 } },
              ...{ name_check: false, ip_check: false },
            });
            await endedJobs(load);
            for (let kill = 0; kill < kills; kill++) {
              load.begin();
              await pause(dice.between(lifeMinMs, lifeMaxMs));
              await server.kill();
              await load.end();
              await callsAreOver(bench, data);
              server = await startMaster(bench, data);
            }
            return server;
          });
          const jobs = await endedJobs(load);
          expect(lostJobs(load, jobs)).toEqual([]);
          expect(repeated(recording.nodeCalls.filter(isAboutOne))).toEqual([]);
          const present =
            (await load.ask<readonly { readonly id: string }[]>("GET", "/2/instances")) ?? [];
          const names = new Set(present.map(({ id }) => id));
          expect([...expectedInstances(jobs)].filter((name) => !names.has(name))).toEqual([]);
          const count = (wanted: string) =>
            [...jobs.values()].filter(({ status }) => status === wanted).length;
          const [good, bad] = [count("success"), count("error")];
          console.log(
            `${kills} kills: ${good} jobs succeeded, ${bad} failed; ${load.answered} queries`,
          );
          expect(good).toBeGreaterThan(kills);
          expect(bad).toBeGreaterThan(kills / 4);
          expect(load.answered).toBeGreaterThan(kills / 2);

          expect(await settled(bench, load, data)).toEqual([]);
          await load.submit({ OP_ID: "OP_INSTANCE_REMOVE", instance_name: mirrored });
          await endedJobs(load);
          await master.stop();
          await handBack(bench, data, errors);
        } finally {
          removed(data);
        }
      }),
  );
});
