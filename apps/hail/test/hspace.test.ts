// hspace on clusters of our own: what Ganeti's prints, keeps and refuses, recorded by the test itself
// where Ganeti's is installed (`fixtures/hspace.json`: delete the cases' outcomes to see them again).
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { HspaceReport } from "@ganeti-ts/protocol";
import { isThorough } from "@ganeti-ts/testkit";
import { describe, expect, test } from "vitest";
import { hspace } from "../src/hspace/program.js";
import { runIn } from "./fake-ports.js";

interface Recorded {
  readonly argv: readonly string[];
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly files: Readonly<Record<string, string>>;
}
const { inputs, cases } = JSON.parse(
  readFileSync(new URL("fixtures/hspace.json", import.meta.url), "utf8"),
) as { inputs: Readonly<Record<string, string>>; cases: readonly Recorded[] };
const titled = cases.map((one) => [one.argv.join(" "), one] as const);

/** The usage text goes on with what is ours. */
const firstLine = (text: string) => text.split("\n", 1)[0];

test.each(titled)("hspace %s", async (_, { argv, exitCode, stdout, stderr, files }) => {
  const world = { files: { ...inputs, "missing/state.tiered": { code: "ENOENT" } } };
  const outcome = await runIn(hspace, world, ...argv);
  expect(outcome.exitCode).toBe(exitCode);
  expect(outcome.stdout).toBe(stdout);
  expect(outcome.written).toEqual(files);
  if (exitCode === 2) expect(firstLine(outcome.stderr)).toBe(firstLine(stderr));
  else expect(outcome.stderr).toBe(stderr);
});

const reference = "/usr/bin/hspace";
const isThere =
  existsSync(reference) &&
  execFileSync(reference, ["-V"], { encoding: "utf8" }).startsWith(
    "hspace (ganeti) version 3.0.2-3\n",
  );
if (!isThere) console.warn("SKIPPED: Ganeti's hspace 3.0.2 is not here to say so again");

// Some of the recorded cases: each run of it takes as long as all of ours.
const asked = titled.filter((_, at) => isThorough || at % 5 === 0);

describe.skipIf(!isThere)("Ganeti's hspace still says so", () => {
  test.each(asked)("hspace %s", (_, { argv, exitCode, stdout, stderr, files }) => {
    const folder = mkdtempSync(join(tmpdir(), "hspace-"));
    for (const [name, text] of Object.entries(inputs)) writeFileSync(join(folder, name), text);
    const env = { ...process.env, LC_ALL: "C.UTF-8" };
    const run = spawnSync(reference, argv, { cwd: folder, encoding: "utf8", env });
    const names = readdirSync(folder).filter((name) => !Object.hasOwn(inputs, name));
    const written = names.map((name) => [name, readFileSync(join(folder, name), "utf8")]);
    rmSync(folder, { recursive: true });
    expect(run).toMatchObject({ status: exitCode, stdout, stderr });
    expect(Object.fromEntries(written)).toEqual(files);
  });
});

const roomy = { files: { roomy: inputs.roomy ?? "" } };

test("--json prints one document with the figures of the text", async () => {
  const { stdout, exitCode } = await runIn(hspace, roomy, "-t", "roomy", "--json");
  expect(exitCode).toBe(0);
  const report = HspaceReport.parse(JSON.parse(stdout));
  const text = (await runIn(hspace, roomy, "-t", "roomy", "--machine-readable")).stdout;
  const variable = (name: string) => new RegExp(`^HTS_${name}=(.*)$`, "m").exec(text)?.[1];
  expect(String(report.standard.instances.length)).toBe(variable("ALLOC_INSTANCES"));
  expect(String(report.before.memoryFree)).toBe(variable("INI_MEM_FREE"));
  expect(String(report.tiered.after.diskFree)).toBe(variable("TRL_DSK_FREE"));
  const tiers = report.tiered.tiers.reduce((sum, { count }) => sum + count, 0);
  expect(tiers).toBe(report.tiered.instances.length);
});

test("NaN and infinite figures are written by name in JSON", async () => {
  const { stdout } = await runIn(hspace, {}, "--simulate", "p,2,100g,0g,4", "--json");
  const report = HspaceReport.parse(JSON.parse(stdout));
  expect(report.before.score).toBe("NaN");
});

test("forthcoming instances count as instances that use their resources", async () => {
  const planned = (inputs.roomy ?? "").replace("ext||1|-|N", "ext||1|-|Y");
  const world = { files: { planned } };
  const { stdout, exitCode } = await runIn(hspace, world, "-t", "planned", "--machine-readable");
  expect(exitCode).toBe(0);
  expect(stdout).toContain("HTS_INI_INST_CNT=4\n");
  expect(stdout).toContain("HTS_OK=1\n");
  const json = (await runIn(hspace, world, "-t", "planned", "--json")).stdout;
  expect(HspaceReport.parse(JSON.parse(json)).reservations).toBe(1);
});

describe("a message as the source, for programs", () => {
  const file = fileURLToPath(new URL("../examples/allocate-drbd.json", import.meta.url));
  const few = ["--disk-template", "drbd", "-l", "2", "--no-capacity-checks"];
  const argv = ["-I", file, "--machine-readable", ...few];
  const ours = () => runIn(hspace, { files: { [file]: readFileSync(file, "utf8") } }, ...argv);

  test("hspace --machine-readable prints all keys for an allocator message", async () => {
    const { stdout, exitCode } = await ours();
    expect(exitCode).toBe(0);
    expect(stdout).toContain("HTS_FIN_INST_CNT=");
    expect(stdout.endsWith("HTS_OK=1\n")).toBe(true);
  });

  test.skipIf(!isThere)(
    "is answered by Ganeti's with the same keys, up to its refusal",
    async () => {
      const { status, stdout, stderr } = spawnSync(reference, argv, { encoding: "utf8" });
      expect(status).toBe(1);
      expect(stderr).toContain("Error: internal inconsistency, allocated (");
      expect(stdout.length).toBeGreaterThan(1000);
      expect((await ours()).stdout.startsWith(stdout)).toBe(true);
    },
  );
});

test("a run without any attempt reports FailMem, like a run without failures", async () => {
  const { stdout, exitCode } = await runIn(hspace, roomy, "-t", "roomy", "-l", "0");
  expect(exitCode).toBe(0);
  expect(stdout).toContain("no instances allocated\n  - most likely failure reason: FailMem\n");
});

test("progress is shown on a terminal after a second", async () => {
  let now = 0;
  const change = {
    terminal: async () => ({ columns: 80, colour: false }),
    now: () => {
      now += 200;
      return now;
    },
  };
  const { stderr } = await runIn(hspace, { ...roomy, change }, "-t", "roomy");
  expect(stderr).toMatch(/tiered allocation: \d+ instances; trying MEM \d+, DSK \d+, CPU \d+/);
  expect(stderr.endsWith("\r\u001b[K")).toBe(true);
});
