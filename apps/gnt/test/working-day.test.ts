// A working day of an administrator: programs against a real server, from creation to destruction of a cluster.
// The first command of each program runs as built, in a process; further ones run in this process.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shellWords } from "../src/parsing/shell-words.js";
import { programs } from "../src/programs/index.js";
import { openConnection } from "../src/remote/connect.js";
import { type Ran, runLine } from "./run-line.js";

const built = (name: string) => fileURLToPath(new URL(`../dist/${name}.js`, import.meta.url));
const server = fileURLToPath(new URL("../../rapi/dist/ganeti-rapi.js", import.meta.url));
const isBuilt = existsSync(built("gnt-cluster")) && existsSync(server);

describe.skipIf(!isBuilt)("a working day (skipped where nothing is built)", () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "working-day-"));
  });
  afterAll(() => {
    const pidFile = join(folder, "rapi.pid");
    if (existsSync(pidFile)) process.kill(Number(readFileSync(pidFile, "utf8")), "SIGKILL");
    rmSync(folder, { recursive: true });
  });

  const started = new Set<string>();

  /** Without a terminal questions get no answer. */
  async function gnt(line: string): Promise<Ran> {
    const [program = ""] = line.split(" ", 1);
    const env = { ...process.env, GANETI_TS_DATA: folder, TZ: "UTC" };
    const words = line.slice(program.length + 1);
    if (started.has(program)) {
      const { program: own } = (await programs[program]?.()) ?? {};
      if (own === undefined) throw new Error(`there is no ${program}`);
      return runLine(own, words, { env, connect: openConnection });
    }
    started.add(program);
    const file = built(program);
    const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...shellWords(words)], {
      encoding: "utf8",
      env,
      // No terminal.
      stdio: ["ignore", "pipe", "pipe"],
      timeout: 500_000,
    });
    return { code: status ?? -1, stdout, stderr };
  }

  /** Output of a command, which must succeed. */
  async function done(line: string): Promise<string> {
    const { code, stdout, stderr } = await gnt(line);
    expect(`${line}: ${code} ${stderr}`).toBe(`${line}: 0 `);
    return stdout;
  }

  /** Ids of jobs that continue alone. */
  async function submitted(...lines: string[]): Promise<string[]> {
    const ids: string[] = [];
    for (const line of lines) {
      const { code, stderr } = await gnt(line);
      const [, id] = /^JobID: (\d+)\n$/.exec(stderr) ?? [];
      if (code !== 0 || id === undefined) throw new Error(`${line}: ${code} ${stderr}`);
      ids.push(id);
    }
    return ids;
  }

  const lastLine = (text: string): string => text.trimEnd().split("\n").at(-1) ?? "";
  const rows = async (line: string): Promise<string[]> =>
    (await done(line.replace(" list ", " list --no-headers --separator=: "))).trimEnd().split("\n");

  test("morning: a cluster of one node is created", async () => {
    const made = await done(
      "gnt-cluster init --simulated --port=0 --specs-disk-size=min=64m --enabled-disk-templates=drbd,plain" +
        " prod.day.invalid",
    );
    expect(made).toMatch(/^Cluster prod\.day\.invalid is served from .* by process \d+, log .*\n$/);
    expect(await done("gnt-cluster getmaster")).toBe("node1.day.invalid\n");
    expect(await gnt("gnt-cluster init --simulated --port=0 other.day.invalid")).toEqual({
      code: 1,
      stdout: "",
      stderr:
        "Failure: prerequisites not met for this operation:\nerror type: wrong_state, error details:\n" +
        "Cluster is already initialised\n",
    });
  });

  test("more nodes are added, some of them in another rack", async () => {
    for (const number of [2, 3, 4, 5]) await done(`gnt-node add node${number}.day.invalid`);
    await done("gnt-group add rack2");
    await done("gnt-group assign-nodes rack2 node4.day.invalid node5.day.invalid");
    await done("gnt-node add-tags node5.day.invalid rack:2");
    expect(await rows("gnt-node list -o name,role,group")).toEqual([
      "node1.day.invalid:M:default",
      "node2.day.invalid:C:default",
      "node3.day.invalid:C:default",
      "node4.day.invalid:C:rack2",
      "node5.day.invalid:C:rack2",
    ]);
    expect(await done("gnt-cluster search-tags ^rack")).toBe("/nodes/node5.day.invalid rack:2\n");
  });

  test("a network gets its addresses, and is connected to all groups", async () => {
    await done("gnt-network add --network=192.0.2.0/28 --gateway=192.0.2.1 --tags=vlan:7 blue");
    await done("gnt-network connect blue");
    expect((await done("gnt-network info blue")).split("\n")).toEqual(
      expect.arrayContaining([
        "  Size: 16",
        "  Free: 13 (81.25%)",
        `        0 ${"XX.............X".padEnd(64)} 63`,
        "  externally reserved IPs:",
        "    192.0.2.0, 192.0.2.1, 192.0.2.15",
        "  not used by any instances",
      ]),
    );
  });

  test("resources are reserved for instances without names", async () => {
    const reserved: string[] = [];
    for (const memory of ["512", "256"]) {
      const made = await done(
        `gnt-instance add --forthcoming -t drbd -s 128m -m ${memory} -g default -o noop+default --net 0:network=blue,ip=pool`,
      );
      reserved.push(lastLine(made));
    }
    for (const uuid of reserved)
      expect(uuid).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect((await rows("gnt-instance list -o name,be/maxmem")).sort()).toEqual(
      [`${reserved[0]}:512`, `${reserved[1]}:256`].sort(),
    );

    // The names are chosen.
    for (const [at, uuid] of reserved.entries()) {
      await done(`gnt-instance rename --no-ip-check ${uuid} web${at + 1}.day.invalid`);
    }
    expect(await rows("gnt-instance list -o name")).toEqual([
      "web1.day.invalid",
      "web2.day.invalid",
    ]);
  });

  test("reservations are made real, and more instances are created, all at the same time", async () => {
    const jobs = await submitted(
      ...["web1", "web2"].map((name) => `gnt-instance add --submit --commit ${name}.day.invalid`),
      ...[
        ["db1", "node1.day.invalid:node2.day.invalid"],
        ["db2", "node2.day.invalid:node3.day.invalid"],
        ["db3", "node3.day.invalid:node2.day.invalid"],
      ].map(
        ([name, nodes]) =>
          "gnt-instance add --submit --no-ip-check -t drbd -s 128m -m 256 -o noop+default" +
          ` --net 0:network=blue,ip=pool -n ${nodes} ${name}.day.invalid`,
      ),
    );
    for (const job of jobs) await done(`gnt-job wait ${job}`);
    expect(await rows("gnt-instance list -o name,status,nic.ip/0")).toEqual([
      // Addresses 2 and 3 were held for the reservations.
      expect.stringMatching(/^db1\.day\.invalid:running:192\.0\.2\.[456]$/),
      expect.stringMatching(/^db2\.day\.invalid:running:192\.0\.2\.[456]$/),
      expect.stringMatching(/^db3\.day\.invalid:running:192\.0\.2\.[456]$/),
      "web1.day.invalid:running:192.0.2.2",
      "web2.day.invalid:running:192.0.2.3",
    ]);
  });

  const rules: string[] = [];

  test("noon: the queue is drained softly, only maintenance passes", async () => {
    for (const rule of [
      `--priority=1 --action=ACCEPT --predicates='[["reason", ["=~", "reason", "maintenance"]]]'`,
      `--priority=2 --action=REJECT --predicates='[["jobid", [">", "id", "watermark"]]]'`,
    ]) {
      rules.push((await done(`gnt-filter add --reason='node2 gets a disk' ${rule}`)).trim());
    }
    expect(await gnt("gnt-instance shutdown web1.day.invalid")).toMatchObject({ code: 1 });
    expect(await done("gnt-cluster queue info")).toBe("The drain flag is unset\n");
    expect(await done("gnt-node modify --drained=yes --reason=maintenance node2.day.invalid")).toBe(
      "Modified node node2.day.invalid\n - master_candidate -> False\n - drained -> True\n",
    );
  });

  test("the node is emptied, two jobs at a time", async () => {
    const reason = "--reason='rate-limit:2:maintenance of node2'";
    const migrated = await done(`gnt-node migrate -f ${reason} node2.day.invalid`);
    expect(lastLine(migrated)).toBe("All instances migrated successfully.");
    const [parent] = await submitted(
      `gnt-node evacuate -f -s --submit ${reason} node2.day.invalid`,
    );

    // Output is the same for early and late followers.
    const watched = await done(`gnt-job watch ${parent}`);
    expect(watched).toContain("Evacuating instances from node 'node2.day.invalid'");
    const moves = await rows(`gnt-job list -o id -F 'id > ${parent}'`);
    expect(moves.length).toBeGreaterThanOrEqual(3);
    for (const id of moves) await done(`gnt-job wait ${id}`);
    const spans = await done(`gnt-job list --json -o start_ts,end_ts ${moves.join(" ")}`);
    const times = (JSON.parse(spans) as Span[]).map(
      ({ start_ts, end_ts }) => [seconds(start_ts), seconds(end_ts)] as const,
    );
    const together = times.map(
      ([start]) => times.filter(([a, b]) => a <= start && start < b).length,
    );
    expect(Math.max(...together)).toBeLessThanOrEqual(2);

    expect(await rows("gnt-node list -o role,pinst_cnt,sinst_cnt node2.day.invalid")).toEqual([
      "D:0:0",
    ]);
    expect(await gnt("gnt-node evacuate -f node2.day.invalid")).toEqual({
      code: 0,
      stdout: "",
      stderr: "No instances to evacuate on node(s) node2.day.invalid, exiting.\n",
    });
  });

  interface Span {
    readonly start_ts: readonly [number, number];
    readonly end_ts: readonly [number, number];
  }
  const seconds = ([whole, micros]: readonly [number, number]) => whole + micros / 1e6;

  test("afternoon: the changes are undone", async () => {
    await done("gnt-node modify --drained=no --reason=maintenance node2.day.invalid");
    for (const rule of rules) await done(`gnt-filter delete ${rule}`);
    await done("gnt-node modify -C yes node2.day.invalid");
    await done("gnt-instance shutdown web1.day.invalid");
    expect(await rows("gnt-node list -o role node2.day.invalid")).toEqual(["C"]);
  });

  test("verification finds no errors", async () => {
    const found = await done("gnt-cluster verify");
    expect(found).toMatch(/^Submitted jobs \d+, \d+, \d+\nWaiting for job \d+ \.\.\.\n/);
    expect(found).toContain("* Verifying group 'rack2'");
    expect(found).not.toMatch(/ERROR|WARNING/);
    expect(await done("gnt-cluster verify-disks")).toContain("No disks need to be activated.\n");
  });

  test("evening: everything is removed, and nothing is left", async () => {
    const names = ["db1", "db2", "db3", "web1", "web2"];
    const jobs = await submitted(
      ...names.map((name) => `gnt-instance remove -f --submit ${name}.day.invalid`),
    );
    for (const job of jobs) await done(`gnt-job wait ${job}`);
    for (const group of ["default", "rack2"]) await done(`gnt-network disconnect blue ${group}`);
    await done("gnt-network remove blue");
    for (const number of [2, 3, 4, 5]) await done(`gnt-node remove node${number}.day.invalid`);
    await done("gnt-group remove rack2");
    expect(await gnt("gnt-cluster destroy")).toMatchObject({ code: 1, stdout: "" });
    await done("gnt-cluster destroy --yes-do-it");
    expect(existsSync(join(folder, "cluster.db"))).toBe(false);
    expect(await gnt("gnt-cluster master-ping")).toEqual({ code: 1, stdout: "", stderr: "" });
  });
});
