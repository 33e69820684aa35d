// A shadow of a running Ganeti: its answers equal the original's, also during operations; it changes nothing.
import type { ChildProcess } from "node:child_process";
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { benchUnavailable, type ReferenceBench, withReferenceCluster } from "@ganeti-ts/reference";
import { describe, expect, test } from "vitest";
import {
  asking,
  dataFolder,
  measured,
  onOurs,
  results,
  running,
} from "./ganeti/debian-programs.js";
import { runCommand } from "./ganeti/traced-run.js";

const problem = benchUnavailable();
if (problem !== undefined) console.warn(`SKIPPED, no test has run here: ${problem}`);

const program = fileURLToPath(new URL("../dist/ganeti-rapi.js", import.meta.url));

interface Report {
  readonly compared: number;
  readonly unnamed: readonly { readonly resource: string; readonly at: string }[];
}

/** A shadow on the master of the bench; all its reports so far. */
function shadowOn(bench: ReferenceBench, data: string, ...more: string[]) {
  const { address, port, user, password } = remoteOf(bench);
  const words = [
    `--shadow=https://${address}:${port}`,
    ...["--insecure", "--shadow-json", "--shadow-interval=1", "--no-ssl", "-p", "0"],
    ...[`--data-dir=${data}`, ...more],
  ];
  const environment = { GANETI_RAPI_USER: user, GANETI_RAPI_PASSWORD: password };
  const child = bench.spawn(process.execPath, [program, ...words], { environment });
  const texts = { out: "", log: "" };
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    texts.out += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    texts.log += text;
  });
  const reports = (): readonly Report[] =>
    texts.out
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  return { child, reports, log: () => texts.log };
}

const remoteOf = ({ rapi }: ReferenceBench) => ({
  address: rapi.address,
  port: rapi.port,
  user: rapi.users.writer.name,
  password: rapi.users.writer.password,
});

const ended = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve) => child.once("exit", resolve));

async function until(isSo: () => boolean, child: ChildProcess, log: () => string): Promise<void> {
  while (!isSo()) {
    if (child.exitCode !== null) throw new Error(`the shadow ended: ${log()}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Every file of the original with its size and time, but the queue's lock, which luxid takes when recordings begin. */
const filesOf = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile() && one.name !== "lock")
    .map((one) => {
      const file = join(one.parentPath, one.name);
      const { size, mtimeMs } = statSync(file);
      return `${file} ${size} ${mtimeMs}`;
    })
    .sort();

/** Calls that a comparison sends. */
const looking = ["all_instances_info", "node_info"];

/** Operations by the original while the shadow looks. */
const operations = [
  "gnt-instance modify -B vcpus=2 inst1.example.com",
  "gnt-instance reboot inst1.example.com",
  "gnt-node add-tags node2.example.com rack:b2",
  "gnt-instance migrate -f inst2.example.com",
  "gnt-group modify --alloc-policy=unallocable g2",
  "gnt-network modify --add-reserved-ips=10.88.0.9 net1",
  "gnt-instance add --no-ip-check -t diskless -o noop+default -n node2.example.com -B memory=64M inst9.example.com",
  "gnt-instance remove -f inst9.example.com",
  "gnt-cluster modify --candidate-pool-size=9",
];

describe.skipIf(problem !== undefined)("A shadow of a running Ganeti", () => {
  test("compares once without a difference, sends no call with effects, and changes no file", () =>
    withReferenceCluster({}, async (bench) => {
      const data = mkdtempSync(join(tmpdir(), "shadow-"));
      try {
        const { dataFolder } = bench.master;
        const before = filesOf(dataFolder);
        const { recording } = await bench.record(async () => {
          const { child, reports } = shadowOn(bench, data, "--shadow-once");
          expect(await ended(child)).toBe(0);
          expect(reports()).toMatchObject([{ unnamed: [] }]);
          expect(reports()[0]?.compared).toBeGreaterThan(50);
        });
        // Ganeti's own programs, which bring up the master's address meanwhile, send other headers.
        const own = recording.nodeCalls.filter(
          ({ requestHeaders: { "Content-Type": type, "User-Agent": agent } }) =>
            type === "application/json" && agent === undefined,
        );
        const methods = new Set(own.map(({ method }) => method));
        expect([...methods].sort()).toEqual(looking);
        expect(filesOf(dataFolder)).toEqual(before);
      } finally {
        rmSync(data, { recursive: true });
      }
    }));

  test("follows the original's work without a difference, and refuses to change anything", () =>
    withReferenceCluster({}, async (bench) => {
      const data = mkdtempSync(join(tmpdir(), "shadow-"));
      const { child, reports, log } = shadowOn(bench, data);
      try {
        await until(() => reports().length > 0, child, log);
        for (const [at, operation] of operations.entries()) {
          const [name = "", ...args] = operation.split(" ");
          await bench.exec(name, args);
          if (at % 3 < 2) continue;
          const count = reports().length;
          await until(() => reports().length > count, child, log);
        }
        expect(reports().flatMap(({ unnamed }) => unnamed)).toEqual([]);

        const fields = "-o name,pnode,status,oper_vcpus,tags --no-headers --separator=|";
        const words = `list ${fields}`;
        const ofOriginal = await bench.exec("gnt-instance", words.split(" "));
        expect((await runCommand(`gnt-instance ${words}`, data)).stdout).toBe(ofOriginal.stdout);
        const job = "gnt-job list -o id,status,summary --no-headers --separator=|";
        const [, ...jobWords] = job.split(" ");
        expect((await runCommand(job, data)).stdout).toBe(
          (await bench.exec("gnt-job", jobWords)).stdout,
        );
        const before = await bench.exec("gnt-job", ["list", "-o", "id"]);
        const refused = await runCommand("gnt-instance reboot inst1.example.com", data);
        expect(refused.status).toBe(1);
        expect(refused.stderr).toContain("Note: this is a shadow of cluster.example.com");
        expect(refused.stderr).toContain("changes go to the original");
        expect((await bench.exec("gnt-job", ["list", "-o", "id"])).stdout).toBe(before.stdout);
      } finally {
        child.kill("SIGTERM");
        await ended(child);
        rmSync(data, { recursive: true });
      }
    }));

  test("answers Debian's programs as the original does, and refuses their changes", () =>
    withReferenceCluster({}, async (bench) => {
      const data = dataFolder();
      const ofOriginal = running(bench, {});
      const balance = "hbal -L -G default --print-nodes";
      const [expected, balancing] = [await results(ofOriginal, asking), await ofOriginal(balance)];
      const { child, reports, log } = shadowOn(bench, data);
      try {
        await until(() => reports().length > 0, child, log);
        const run = onOurs(bench, data);
        expect(await results(run, asking)).toEqual(expected);
        expect(measured(await run(balance))).toEqual(measured(balancing));
        expect(balancing.status).toBe(0);
        const listed = "gnt-job list --no-headers -o id,status,summary";
        const before = await ofOriginal(listed);
        expect(await run(listed)).toEqual(before);
        for (const command of ["gnt-instance reboot inst1.example.com", "gnt-os list"]) {
          const refused = await run(command);
          expect([refused.status, refused.stdout]).toEqual([1, ""]);
          expect(refused.stderr).toContain("changes go to the original");
        }
        expect(await ofOriginal(listed)).toEqual(before);
      } finally {
        child.kill("SIGTERM");
        await ended(child);
        rmSync(data, { recursive: true });
      }
    }));

  test("reports a changed value in its answers, and exits with 1", () =>
    withReferenceCluster({}, async (bench) => {
      const data = mkdtempSync(join(tmpdir(), "shadow-"));
      try {
        const copy = join(data, "ganeti");
        cpSync(bench.master.dataFolder, copy, { recursive: true });
        const file = join(copy, "config.data");
        const text = readFileSync(file, "utf8");
        writeFileSync(file, text.replace('"rack:a1"', '"rack:a2"'));
        const more = ["--shadow-once", `--ganeti-data=${copy}`];
        const { child, reports } = shadowOn(bench, data, ...more);
        expect(await ended(child)).toBe(1);
        const places = reports()[0]?.unnamed.map(({ resource, at }) => `${resource} ${at}`);
        expect(places).toContain("/2/nodes?bulk=1 [node1.example.com].tags[rack:a1]");
        expect(places?.filter((place) => !place.includes("[rack:a"))).toEqual([]);
      } finally {
        rmSync(data, { recursive: true });
      }
    }));
});
