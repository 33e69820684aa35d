// Faults of an adopted cluster on real daemons: after each nothing is lost, done twice, or written over another master.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import {
  benchUnavailable,
  type ReferenceBench,
  type ReferenceNode,
  withReferenceCluster,
} from "@ganeti-ts/reference";
import { describe, expect, test } from "vitest";
import { sendBySocket } from "../by-socket.js";
import {
  debian,
  handBack,
  type Master,
  newDataDirectory,
  removed,
  runOutside,
  runServer,
  startMaster,
  textOf,
  until,
  verified,
} from "./adoption.js";

const problem = benchUnavailable();
if (problem !== undefined) console.warn(`SKIPPED, no test has run here: ${problem}`);

/** Runs `use` with a server that has adopted the bench. */
const withAdopted = (use: (bench: ReferenceBench, master: Master) => Promise<void>) =>
  withReferenceCluster({}, async (bench) => {
    const data = newDataDirectory();
    try {
      await bench.stopMaster();
      await use(bench, await startMaster(bench, data, ["--adopt"]));
    } finally {
      removed(data);
    }
  });

/** Texts of the queue files by name, without those that only a master has. */
const queueOf = ({ dataFolder }: ReferenceNode): Readonly<Record<string, string>> => {
  const folder = join(dataFolder, "queue");
  const names = readdirSync(folder).filter((name) => /^job-\d+$|^serial$/.test(name));
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
};

/** Whether a candidate has the configuration, the serial and all jobs after `since`: earlier ones it may never have had. */
const isCopied = (from: ReferenceNode, to: ReferenceNode, since: number): boolean => {
  if (textOf(from, "config.data") !== textOf(to, "config.data")) return false;
  const copy = queueOf(to);
  return Object.entries(queueOf(from)).every(
    ([name, text]) => copy[name] === text || Number(name.slice("job-".length)) <= since,
  );
};

const serialOf = (node: ReferenceNode): number => Number(textOf(node, "queue/serial"));

const tag = (master: Master, name: string) =>
  runOutside(master.data, `gnt-cluster add-tags ${name}`);

/** Submits a job that adds a tag; whether its number was returned. */
const isAcknowledged = (data: string, name: string): Promise<boolean> =>
  sendBySocket({
    ...{ socketPath: join(data, "rapi.sock"), method: "PUT", path: `/2/tags?tag=${name}` },
  }).then(
    ({ status }) => status === 200,
    () => false,
  );

describe.skipIf(problem !== undefined)("An adopted cluster", () => {
  test("gives a candidate that was away everything it has missed", () =>
    withAdopted(async (bench, master) => {
      const [first, , third] = bench.nodes;
      if (third === undefined) throw new Error("needs three nodes");
      const since = serialOf(first);
      await bench.stopDaemon(third, "ganeti-noded");
      for (let n = 0; n < 50; n += 5) {
        const some = Array.from({ length: 5 }, (_, at) => tag(master, `away:${n + at}`));
        for (const { status } of await Promise.all(some)) expect(status).toBe(0);
      }
      expect(isCopied(first, third, since)).toBe(false);
      await bench.startDaemon(third, "ganeti-noded");
      await until(() => isCopied(first, third, since), "the candidate has all copies");
      expect(textOf(third, "ssconf_cluster_tags")).toBe(textOf(first, "ssconf_cluster_tags"));
      expect(textOf(third, "ssconf_cluster_tags")).toContain("away:49");
      await master.stop();
    }));

  test("is not disturbed by daemons of Ganeti that are started by mistake", () =>
    withAdopted(async (bench, master) => {
      for (const daemon of ["ganeti-wconfd", "ganeti-luxid", "ganeti-rapi"]) {
        await bench.attempt("/usr/lib/ganeti/daemon-util", ["start", daemon]);
        const words = daemon === "ganeti-rapi" ? [] : ["--no-voting", "--yes-do-it"];
        await bench.attempt(`/usr/sbin/${daemon}`, words);
      }
      await pause(2000);
      for (const daemon of ["ganeti-wconfd", "ganeti-luxid", "ganeti-rapi"]) {
        const { stdout } = await bench.attempt("pgrep", ["-f", `/usr/sbin/${daemon}`]);
        expect([daemon, stdout]).toEqual([daemon, ""]);
      }
      expect((await tag(master, "still:ours")).status).toBe(0);
      expect(await debian(bench, "gnt-cluster list-tags")).toContain("still:ours");
      await master.stop();
    }));

  test("keeps Ganeti's own renew-crypto waiting before it stops the daemons of the nodes", () =>
    withAdopted(async (bench, master) => {
      const words = ["renew-crypto", "--new-node-certificates", "--force"];
      const renewing = bench.spawn("gnt-cluster", words);
      let said = "";
      for (const stream of [renewing.stdout, renewing.stderr]) {
        stream?.setEncoding("utf8").on("data", (text: string) => {
          said += text;
        });
      }
      await until(() => said.includes("Blocking watcher"), "it has begun");
      await pause(2000);
      expect([renewing.exitCode, said]).toEqual([null, expect.not.stringContaining("Stopping")]);
      for (const node of bench.nodes) {
        expect(await bench.call(node, "version", [])).toEqual([true, 3_000_000]);
      }
      renewing.kill();
      await debian(bench, "gnt-instance reboot inst1.example.com");
      await master.stop();
    }));

  test("stops all work when another node is named the master", () =>
    withAdopted(async (bench, master) => {
      const [first, second] = bench.nodes;
      await bench.call(first, "write_ssconf_files", [{ master_node: [second?.name] }]);
      await until(() => master.log().includes("this server stops its work"), "it is noticed");
      const before = textOf(first, "config.data");
      const refused = await tag(master, "too:late");
      expect(refused.status).not.toBe(0);
      expect(textOf(first, "config.data")).toBe(before);
      await master.stop();
      const again = await runServer(bench, master.data, ["-p", "0"]);
      expect([again.status, again.stderr]).toEqual([
        11,
        expect.stringContaining("ssconf_master_node names node2"),
      ]);
    }));

  test(
    "loses nothing and does nothing twice when its server is killed again and again",
    { timeout: 600_000 },
    () =>
      withReferenceCluster({}, async (bench) => {
        const errors = await verified(bench);
        await bench.stopMaster();
        const data = newDataDirectory();
        try {
          const since = serialOf(bench.master);
          const acknowledged: string[] = [];
          for (let round = 0; round < 8; round++) {
            const master = await startMaster(bench, data, round === 0 ? ["--adopt"] : []);
            let isOver = false;
            const load = Array.from({ length: 4 }, async (_, at) => {
              for (let n = 0; !isOver; n++) {
                const name = `kill:${round}-${at}-${n}`;
                if (await isAcknowledged(data, name)) acknowledged.push(name);
              }
            });
            await pause(100 + 37 * round);
            await master.kill();
            isOver = true;
            await Promise.all(load);
          }
          const master = await startMaster(bench, data);
          const ids = async (filter: string) =>
            (await debian(bench, `gnt-job list --no-headers -o id ${filter}`)).trim();
          await until(
            async () => (await ids("--running")) === "" && (await ids("--pending")) === "",
            "all jobs have ended",
          );
          expect(acknowledged.length).toBeGreaterThan(8);
          const [first, ...others] = bench.nodes;
          for (const other of others)
            await until(() => isCopied(first, other, since), `${other.name} has all copies`);
          const jobs = Object.values(queueOf(first)).filter((text) => text.includes('"kill:'));
          for (const name of acknowledged) {
            const own = jobs.filter((text) => text.includes(`"${name}"`));
            expect([name, own.length]).toEqual([name, 1]);
          }
          await master.stop();
          await handBack(bench, data, errors);
        } finally {
          removed(data);
        }
      }),
  );

  test(
    "goes on from another candidate, and refuses the server that it had",
    { timeout: 600_000 },
    () =>
      withAdopted(async (bench, master) => {
        const [first, second, third] = bench.nodes;
        if (second === undefined || third === undefined) throw new Error("needs three nodes");
        expect((await tag(master, "before:death")).status).toBe(0);
        await until(() => textOf(second, "config.data").includes("before:death"), "it is copied");
        await master.kill();
        const data = newDataDirectory();
        const next = await startMaster(bench, data, ["--take-over"], second);
        // The old master's certificate is on no list any more.
        await expect(bench.call(third, "version", [])).rejects.toThrow();
        const old = await runServer(bench, master.data, ["-p", "0"]);
        expect([old.status, old.stdout]).toEqual([11, ""]);
        // It is an ordinary node now, whose daemons can start again.
        expect(existsSync(join(first.runFolder, "ganeti-luxid.pid"))).toBe(false);
        expect(existsSync(join(second.runFolder, "ganeti-luxid.pid"))).toBe(true);
        expect((await tag(next, "after:death")).status).toBe(0);
        const { stdout } = await runOutside(data, "gnt-cluster list-tags");
        expect(stdout).toMatch(/after:death[\s\S]*before:death/);
        expect((await runOutside(data, "gnt-cluster getmaster")).stdout.trim()).toBe(second.name);
        await until(
          () => textOf(third, "config.data") === textOf(second, "config.data"),
          "copies follow",
        );
        expect(textOf(third, "ssconf_master_node").trim()).toBe(second.name);
        const back = await runOutside(data, `gnt-node modify --master-candidate=yes ${first.name}`);
        expect([back.status, back.stderr]).toEqual([0, expect.anything()]);
        await until(() => isCopied(second, first, 0), "the old master is a candidate with copies");
        expect(await bench.call(third, "version", [])).toEqual([true, 3_000_000]);
        await next.stop();
        removed(data);
      }),
  );
});
