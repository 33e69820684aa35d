// A shadow's configuration and queue follow the files of another program.
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  Configuration,
  type ConfigurationContent,
  initialConfiguration,
  writeConfigFile,
} from "@ganeti-ts/config";
import { systemClock as clock, type JobId, secureRandom as random } from "@ganeti-ts/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FileQueue } from "./file-queue.js";
import { type FollowedConfig, followConfig } from "./followed-config.js";

let folder = "";
let followed: FollowedConfig | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "followed-"));
});
afterEach(() => {
  followed?.stop();
  rmSync(folder, { recursive: true });
});

const first = initialConfiguration({
  clusterName: "cluster.example.com",
  nodes: [
    { name: "a.example.com", primary_ip: "192.0.2.1" },
    { name: "b.example.com", primary_ip: "192.0.2.2" },
  ],
  random,
  now: 1000,
});

/** Renames a new file over the old one, as Ganeti does. */
function put(name: string, text: string): void {
  writeFileSync(join(folder, `${name}.new`), text);
  renameSync(join(folder, `${name}.new`), join(folder, name));
}
const putConfig = (content: ConfigurationContent) => put("config.data", writeConfigFile(content));

async function opened() {
  putConfig(first);
  followed = await followConfig(join(folder, "config.data"), () => undefined);
  const config = await Configuration.open(followed.store, { clock, random });
  return { followed, config };
}

test("a replaced configuration is a step with the objects that changed", async () => {
  const { followed, config } = await opened();
  const changes: unknown[] = [];
  config.onChange((step) => changes.push(...step.changes));
  const [a, b] = first.nodes as [never, never];
  putConfig({
    ...first,
    serial: 2,
    nodes: [{ ...(a as object), drained: true, serial_no: 2 } as never],
  });
  expect(await followed.look()).toBe(true);
  await config.refresh();
  expect(Array.from(config.snapshot.nodes(), ({ name, drained }) => [name, drained])).toEqual([
    ["a.example.com", true],
  ]);
  expect(changes).toMatchObject([
    { kind: "put", type: "node", object: { name: "a.example.com" } },
    { kind: "remove", type: "node", uuid: (b as { uuid: string }).uuid },
  ]);
  expect(await followed.look()).toBe(false);
});

test("a file that cannot be read leaves the last configuration, and a later one is followed", async () => {
  const { followed, config } = await opened();
  put("config.data", "{");
  await expect(followed.look()).rejects.toThrow("Cannot read the configuration");
  expect(config.snapshot.count("node")).toBe(2);
  putConfig({ ...first, nodes: first.nodes.slice(0, 1) });
  await followed.look();
  await config.refresh();
  expect(config.snapshot.count("node")).toBe(1);
});

test("nothing can be committed to a followed configuration", async () => {
  const { config } = await opened();
  const { cluster } = config.snapshot;
  const change = { kind: "cluster", object: { ...cluster, tags: ["x"] } } as const;
  await expect(config.change(() => ({ changes: [change], value: null }))).rejects.toThrow("shadow");
});

const job = (id: number, status: string) =>
  JSON.stringify({
    id,
    ops: [{ input: { OP_ID: "OP_TEST_DELAY", duration: 1 }, status, result: null, log: [] }],
  });

function aQueue(): FileQueue {
  mkdirSync(join(folder, "archive", "0"), { recursive: true });
  return new FileQueue({
    folder,
    rules: () => [],
    runningMax: () => 7,
    refusal: "this is a shadow",
  });
}

test("jobs are shown as in their files; new, changed and archived jobs are noticed", async () => {
  const queue = aQueue();
  const told: JobId[][] = [];
  queue.onChange((changed) => told.push([...changed]));
  put("job-1", job(1, "running"));
  put("job-2", job(2, "queued"));
  expect(await queue.query([], ["id", "status"])).toEqual([
    [1, "running"],
    [2, "queued"],
  ]);
  const { blocks } = await queue.live();
  expect((await queue.live()).blocks).toBe(blocks);
  put("job-1", job(1, "success"));
  renameSync(join(folder, "job-2"), join(folder, "archive/0/job-2"));
  const live = await queue.live();
  expect([live.size, [...live.counts]]).toEqual([1, [["success", 1]]]);
  expect(await queue.query([1, 2, 3] as JobId[], ["id", "status", "archived"])).toEqual([
    [1, "success", false],
    [2, "queued", true],
    undefined,
  ]);
  expect(told).toEqual([
    [1, 2],
    [2, 1],
  ]);
});

test("a wait ends when the file of the job has changed", async () => {
  const queue = aQueue();
  put("job-1", job(1, "running"));
  const ended = queue.ended(1 as JobId);
  put("job-1", job(1, "success"));
  expect(await ended).toMatchObject({ status: "success" });
});

test.each(["submit", "cancel", "archive", "change", "addRule", "deleteRule"] as const)(
  "%s is refused with the reason",
  async (name) => {
    const call = aQueue()[name] as () => Promise<unknown>;
    await expect(call()).rejects.toThrow("this is a shadow");
  },
);
