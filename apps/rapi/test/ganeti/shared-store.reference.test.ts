// Two servers of ours on two master candidates of a real cluster, with their data in PostgreSQL: one dies or is suspended.
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  benchUnavailable,
  type ReferenceBench,
  type ReferenceNode,
  withReferenceCluster,
} from "@ganeti-ts/reference";
import { programs, type Server, startPostgres } from "@ganeti-ts/testkit/postgres";
import { describe, expect, test } from "vitest";
import {
  expectHandedBack,
  type Master,
  newDataDirectory,
  removed,
  runOutside,
  runServer,
  startMaster,
  succeeded,
  until,
  verified,
} from "./adoption.js";

const problem =
  benchUnavailable() ?? (programs === undefined ? "PostgreSQL 15 is not installed" : undefined);
if (problem !== undefined) console.warn(`SKIPPED, no test has run here: ${problem}`);

interface Stage {
  readonly bench: ReferenceBench;
  readonly second: ReferenceNode;
  readonly third: ReferenceNode;
  readonly database: Server;
  /** Answer of a statement in the schema of the servers. */
  readonly sql: (statement: string) => string;
  /** Options of every server: the database, and a short lease. */
  readonly words: readonly string[];
  /** Errors of `gnt-cluster verify` while Ganeti was the master. */
  readonly errors: readonly string[];
  readonly old: Master;
  /** Data directory of the second server. */
  readonly data: string;
}

/** Runs `use` with a cluster that a server of ours on the first node has adopted into a database. */
const withShared = (use: (stage: Stage) => Promise<void>) =>
  withReferenceCluster({}, async (bench) => {
    const [, second, third] = bench.nodes;
    if (second === undefined || third === undefined) throw new Error("needs three nodes");
    const database = await startPostgres();
    const { host } = database.connection;
    const sql = (statement: string) =>
      execFileSync(
        join(programs as string, "psql"),
        ["-h", host, "-U", "postgres", "-Atqc", `SET search_path = ganeti_ts; ${statement}`],
        { encoding: "utf8" },
      ).trim();
    const [first, data] = [newDataDirectory(), newDataDirectory()];
    const words = [`--store=${database.url}`, "--lease=3"];
    try {
      const errors = await verified(bench);
      await bench.stopMaster();
      const old = await startMaster(bench, first, ["--adopt", ...words]);
      await use({ bench, second, third, database, sql, words, errors, old, data });
    } finally {
      for (const each of [first, data]) removed(each);
      // Connections of servers that the bench ends later keep no test waiting.
      void database.stop();
    }
  });

const gnt = async (data: string, line: string): Promise<string> =>
  succeeded(line, await runOutside(data, line));

/** The second server, after it has become the master. */
const takenOver = ({ bench, data, words, second }: Stage) =>
  startMaster(bench, data, ["--take-over", ...words], second);

/** A pre-hook of reboots on a node that does not end before the returned function is called. */
function heldHook({ root }: ReferenceNode) {
  const folder = join(root, "etc/ganeti/hooks/instance-reboot-pre.d");
  mkdirSync(folder, { recursive: true });
  const [script, started, held] = ["10hold", "started", "held"].map((name) => join(folder, name));
  const own = `$(dirname "$0")`;
  const text = `#!/bin/sh\necho once >> "${own}/started"\nwhile [ -e "${own}/held" ]; do sleep 0.1; done\n`;
  writeFileSync(held as string, "");
  writeFileSync(script as string, text);
  chmodSync(script as string, 0o755);
  const runs = () =>
    existsSync(started as string)
      ? readFileSync(started as string, "utf8").split("\n").length - 1
      : 0;
  return { runs, release: () => rmSync(held as string) };
}

describe.skipIf(problem !== undefined)("An adopted cluster whose data are in PostgreSQL", () => {
  test("goes on from another candidate with all that was acknowledged, and is handed back from there", () =>
    withShared(async (stage) => {
      const { bench, second, third, words, errors, old, data } = stage;
      const alive = await runServer(bench, data, ["--take-over", ...words, "-p", "0"], second);
      expect([alive.status, alive.stderr]).toEqual([
        1,
        expect.stringContaining("the server on node1.example.com is alive: stop it first"),
      ]);
      await gnt(old.data, "gnt-cluster add-tags before:death");
      await old.kill();
      const next = await takenOver(stage);
      await expect(bench.call(third, "version", [])).rejects.toThrow();
      expect(await gnt(data, "gnt-cluster list-tags")).toContain("before:death");
      expect((await gnt(data, "gnt-cluster getmaster")).trim()).toBe(second.name);
      const again = await runServer(bench, old.data, [...words, "-p", "0"]);
      expect([again.status, again.stderr]).toEqual([
        11,
        expect.stringContaining("the master of the cluster is node2.example.com"),
      ]);
      await gnt(data, "gnt-instance reboot inst1.example.com");
      await gnt(data, "gnt-node modify --master-candidate=yes node1.example.com");
      expect(await bench.call(third, "version", [])).toEqual([true, 3_000_000]);
      await next.stop();
      const back = await runServer(bench, data, ["--hand-back", ...words], second);
      expect([back.status, back.stderr]).toEqual([0, expect.anything()]);
      await expectHandedBack(bench, errors, second);
      const tags = await bench.exec("gnt-cluster", ["list-tags"], { node: second });
      expect(tags.stdout).toContain("before:death");
    }));

  test("refuses a server that stood still, and waits for the call that it had sent", () =>
    withShared(async (stage) => {
      const { bench, third, sql, old, data } = stage;
      const name = "inst40.example.com";
      await gnt(
        old.data,
        `gnt-instance add --no-name-check --no-ip-check -o noop+default -t diskless -B memory=16M -n ${third.name} ${name}`,
      );
      const hook = heldHook(third);
      const submitted = await gnt(old.data, `gnt-instance reboot --submit ${name}`);
      const job = /\d+/.exec(submitted)?.[0];
      await until(() => hook.runs() === 1, "the hook runs");
      const pid = readFileSync(join(old.data, "rapi.pid"), "utf8").trim();
      await bench.exec("kill", ["-STOP", pid]);
      const next = await takenOver(stage);
      const status = async () =>
        (await gnt(data, `gnt-job list --no-headers -o status ${job}`)).trim();
      expect(await status()).toBe("running");

      // No node accepts its certificate any more, and no job belongs to it.
      await expect(bench.call(third, "version", [])).rejects.toThrow();
      await bench.exec("kill", ["-CONT", pid]);
      // The process that stands for it outside was stopped with it.
      old.process.kill("SIGCONT");
      expect(await old.ended).toBe(1);
      await expect.poll(() => old.log()).toContain("other servers may have taken over");

      expect(sql("SELECT call FROM call_in_flight")).toBe("hooks_runner");
      expect(await status()).toBe("running");
      hook.release();
      // Ends the call, as its timeout of 15 minutes would do.
      sql("DELETE FROM call_in_flight");
      await until(async () => (await status()) === "error", "the job has ended");
      await gnt(data, `gnt-instance reboot ${name}`);
      expect(hook.runs()).toBe(2);
      await gnt(data, `gnt-instance remove -f ${name}`);
      await next.stop();
    }));
});
