// Every command of docs/backup-and-restore.md, on a cluster that has everything.
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { noDurations } from "@ganeti-ts/simulated-nodes";
import { programs, startPostgres, wherePostgresIsInstalled } from "@ganeti-ts/testkit/postgres";
import { expect, onTestFinished, test } from "vitest";
import { createLog } from "../../src/log.js";
import { withoutServing } from "../../src/modes.js";
import { readOptions } from "../../src/program/options.js";
import { type Served, serve } from "../../src/program/serve.js";
import { endOf, withInstances } from "../instances.js";

const page = new URL("../../../../docs/backup-and-restore.md", import.meta.url);
const gnt = join(import.meta.dirname, "../../../gnt/dist/gnt.js");

/** The commands of a part of the page, in order, without comments. */
function documented(part: string): string[] {
  const text =
    readFileSync(page, "utf8")
      .split(/^## /m)
      .find((one) => one.startsWith(part)) ?? "";
  return text.split("\n").flatMap((line) => {
    const command = /^ {4}(?:7 \* \* \* \* )?(\S.*?)(?: +#.*)?$/.exec(line)?.[1];
    return command === undefined ? [] : [command.replaceAll("\\%", "%")];
  });
}

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "documented-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** A server of this process. */
async function started(...words: string[]): Promise<Served> {
  const options = readOptions([
    "-p",
    "0",
    "--no-ssl",
    "--watcher=off",
    "--iallocator-search-path=",
    ...words,
  ]);
  if (typeof options === "string") throw new Error(options);
  const durations = { ...noDurations, callMs: 100 };
  return serve(options, createLog("silent"), { durations });
}

/** Fills a cluster; one creation runs, one is held by a rule, one job is archived. */
async function fill(served: Served): Promise<void> {
  const { queue } = served.world;
  const done = async (opcode: object) => {
    const id = await queue.submit([opcode as never]);
    expect(await endOf(served as never, id)).toMatchObject(["success", {}]);
    return id;
  };
  await withInstances(served as never, [
    { instance_name: "web.example.com", no_install: true },
    { instance_name: "later.example.com", forthcoming: true, no_install: true },
  ]);
  const tagging = { OP_ID: "OP_TAGS_SET", kind: "instance", name: "web.example.com" };
  const archived = await done({ ...tagging, tags: ["größe:日本"] });
  expect(await queue.archive(archived)).toBe(true);
  await queue.addRule({
    predicates: [["opcode", ["=~", "OP_ID", "^OP_TEST_"]]],
    action: "PAUSE",
    reason: [["müller", "größere Arbeiten: 維持", 1]],
  });
  await queue.submit([{ OP_ID: "OP_TEST_DELAY", duration: 0.001, on_master: false }]);
  // Each disk takes two calls.
  const creation = { OP_ID: "OP_INSTANCE_CREATE", mode: "create", nics: [{}] };
  const disks = Array.from({ length: 8 }, () => ({ size: 1024 }));
  const common = {
    os_type: "noop+default",
    pnode: "node1.example.com",
    disk_template: "plain",
    disks,
  };
  await queue.submit([{ ...creation, ...common, instance_name: "claimed.example.com" } as never]);
  const isClaimed = () => served.cluster.snapshot().count("claim") > 0;
  await expect.poll(isClaimed, { interval: 5 }).toBe(true);
}

/** Contents that a restoration must bring back. */
async function contentOf({ world, cluster }: Served) {
  const now = cluster.snapshot();
  const jobs = await world.queue.query([], ["id", "archived"], { archived: true });
  return {
    uuid: now.cluster.uuid,
    serial: now.serial,
    instances: Array.from(now.instances(), ({ name, forthcoming, tags }) => ({
      name,
      forthcoming,
      tags,
    })),
    claims: Array.from(now.claims(), ({ kind }) => kind),
    jobs,
    rule: world.queue.rules.find(({ reason_trail: [first] }) => first?.[0] === "müller"),
  };
}

interface Place {
  readonly data: string;
  /** Texts of the page, with those of this machine. */
  readonly replaced: readonly (readonly [string, string])[];
  readonly folder: string;
}

/** Runs a command of the page; commands of the server in this process. Gives its output. */
async function ran(command: string, { data, replaced, folder }: Place): Promise<string> {
  const text = replaced.reduce((now, [from, to]) => now.replaceAll(from, to), command);
  const env = { ...process.env, GANETI_TS_DATA: data, PATH: `${programs}:${process.env.PATH}` };
  const inShell = async (line: string) =>
    (await promisify(execFile)("bash", ["-ec", line], { cwd: folder, env })).stdout;
  const [program = "", ...rest] = text.split(" ");
  if (program === "gnt") return inShell(`'${process.execPath}' '${gnt}' ${rest.join(" ")}`);
  if (program !== "ganeti-rapi") return inShell(text);
  const words = (await inShell(`printf '%s\\n' ${rest.join(" ")}`)).trim().split("\n");
  const before = process.env.GANETI_TS_DATA;
  process.env.GANETI_TS_DATA = data;
  try {
    expect(await withoutServing(readOptions(words) as never, createLog("silent"))).toBe(0);
  } finally {
    if (before === undefined) delete process.env.GANETI_TS_DATA;
    else process.env.GANETI_TS_DATA = before;
  }
  return "";
}

test("the documented commands save a cluster that has everything, and bring all of it back", async () => {
  const folder = aFolder();
  const data = join(folder, "data");
  mkdirSync(join(folder, "backup"));
  const place = {
    ...{ data, folder },
    replaced: [
      ["/var/lib/ganeti-ts", data],
      ["/srv/backup", join(folder, "backup")],
      ["/tmp/check.backup", join(folder, "check.backup")],
    ] as const,
  };
  const [save, hourly, restore, verify, pending, release, check, ...more] =
    documented("The embedded");
  expect(more).toEqual([]);
  const first = await started("--init=demo.example.com", `--data-dir=${data}`);
  await fill(first);
  const before = await contentOf(first);
  expect(before.claims).toEqual(["creation"]);
  for (const command of [save, hourly, check]) await ran(command as string, place);
  expect(statSync(join(folder, "check.backup")).mode & 0o777).toBe(0o600);
  await first.stop();
  rmSync(data, { recursive: true });

  await ran(restore as string, place);
  const again = await started(`--data-dir=${data}`);
  onTestFinished(() => again.stop());
  // The creation that ran died with the backup; recovery releases its claim.
  await expect.poll(async () => (await contentOf(again)).claims).toEqual([]);
  const after = await contentOf(again);
  expect(after).toMatchObject({ uuid: before.uuid, jobs: before.jobs, rule: before.rule });
  expect(after.instances).toEqual(before.instances);
  expect(await ran(`${verify} || true`, place)).toContain("Verifying");
  expect(await ran(pending as string, place)).toContain("TEST_DELAY");
  for (const { uuid } of again.world.queue.rules) {
    await ran((release as string).replace("UUID", uuid), place);
  }
  expect(again.world.queue.rules).toEqual([]);
});

wherePostgresIsInstalled(
  test,
  "the documented commands save and restore a cluster in PostgreSQL that has everything",
  async () => {
    const server = await startPostgres();
    onTestFinished(() => server.stop());
    const folder = aFolder();
    const data = join(folder, "data");
    const theirs = "postgres://ganeti@db.example.com/ganeti";
    const restored = server.url.replace("@/postgres?", "@/ganeti_restored?");
    const place = {
      ...{ data, folder },
      replaced: [
        [`${theirs}_restored`, restored],
        [theirs, server.url],
        ["db.example.com", server.connection.host],
        ["--username=ganeti", "--username=postgres"],
        ["LAST_JOB", "99"],
      ] as const,
    };
    const [dump, create, load, start, add, ...more] = documented("PostgreSQL");
    expect(more).toEqual([]);
    const first = await started(
      ...["--init=demo.example.com", `--data-dir=${data}`, `--store=${server.url}`],
    );
    await fill(first);
    await ran(dump as string, place);
    const before = await contentOf(first);
    await first.stop();
    for (const command of [create, load]) await ran(command as string, place);
    const words = [`--data-dir=${data}`, `--store=${restored}`];
    await expect(started(...words)).rejects.toMatchObject({ reason: "history" });
    expect(start).toBe(`ganeti-rapi --store=${theirs}_restored --accept-loss`);
    const again = await started(...words, "--accept-loss");
    onTestFinished(() => again.stop());
    const { uuid, rule } = await contentOf(again);
    expect({ uuid, rule }).toEqual({ uuid: before.uuid, rule: before.rule });
    await ran(add as string, place);
    expect(again.world.queue.rules.length).toBe(2);
  },
);
