import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { answerTo } from "../../src/monitoring/monitoring-server.js";
import { storageHealthCollector } from "../../src/monitoring/storage-health.js";
import { aFolder } from "../a-context.js";
import { type Script, scriptedMachine } from "../scripted-machine.js";
import { lvs, volumes } from "./lvm-lines.js";

const pvs =
  "pvs --noheadings --units=m --nosuffix --separator '|' --options pv_name,pv_size,pv_used,pv_free,pv_attr";
const healthy = "  /dev/vdc|596.00|96.00|500.00|a--\n";
const missing = "  [unknown]|596.00|96.00|500.00|a-m\n";
const soundVolumes = volumes.replace(/^.*\|(lost|partial)\|.*\n/gm, "");
const drbd = (disk: string) =>
  `version: 8.4.11 (api:1/proto:86-101)\n 0: cs:Connected ro:Primary/Secondary ds:${disk}/UpToDate C r-----\n` +
  " 1: cs:Unconfigured\n";

let root = "";
beforeEach(() => {
  root = aFolder();
  mkdirSync(join(root, "proc"));
});

/** A machine with a clock that the test moves. */
function machine(script: Script) {
  const { context, log, commands } = scriptedMachine(script, root);
  let now = 0;
  const paths = { ...context.paths, proc: join(root, "proc") };
  const collector = storageHealthCollector({ ...context, paths }, { now: () => now });
  const later = () => {
    now += 11_000;
  };
  return { collector, log, commands, later };
}

test("healthy storage has code 0, even if DRBD is not loaded", async () => {
  const { collector, log } = machine({ [pvs]: healthy, [lvs]: soundVolumes });
  expect(await collector.health()).toEqual({
    status: { code: 0, message: "" },
    physical_volumes: [{ name: "/dev/vdc", size: 596, used: 96, free: 500, allocatable: true }],
    lost_volumes: [],
    diskless_minors: [],
  });
  expect(log).toEqual([]);
});

test("missing devices, lost volumes and mirrors without storage have code 4 and are logged once", async () => {
  writeFileSync(join(root, "proc/drbd"), drbd("Diskless"));
  const { collector, log, later, commands } = machine({
    ...{ [pvs]: healthy + missing, [lvs]: volumes },
  });
  const found = await collector.health();
  expect(found).toMatchObject({
    lost_volumes: ["/dev/xenvg/lost", "/dev/xenvg/partial"],
    diskless_minors: [0],
  });
  const message =
    "1 physical volumes are missing; /dev/xenvg/lost lies on a missing device;" +
    " /dev/xenvg/partial lies on a missing device; /dev/drbd0 has lost its local storage";
  expect(found.status).toEqual({ code: 4, message });
  await collector.health();
  expect(commands).toHaveLength(2);
  later();
  await collector.health();
  expect(commands).toHaveLength(4);
  expect(log).toEqual([`failing storage: ${message}`]);
});

test("storage that cannot be listed has code 2 and the reason", async () => {
  writeFileSync(join(root, "proc/drbd"), drbd("UpToDate"));
  const { collector } = machine({ [pvs]: { code: 5, stderr: "no lvm" }, [lvs]: soundVolumes });
  expect((await collector.health()).status).toEqual({
    code: 2,
    message: "Failed to run 'pvs', command output: no lvm",
  });
});

test("the report is a status collector of the category storage", async () => {
  const { collector: storage } = machine({ [pvs]: healthy, [lvs]: soundVolumes });
  const clock = { wallMicros: () => 5 };
  const ports = { clock, cpuLoad: { load: () => null }, storage };
  const { status, body } = await answerTo("/1/report/storage/storage-health", ports);
  expect([status, body]).toMatchObject([
    200,
    { name: "storage-health", category: "storage", kind: 1, data: { status: { code: 0 } } },
  ]);
  const all = (await answerTo("/1/report/all", ports)).body as { name: string }[];
  const listed = (await answerTo("/1/list/collectors", ports)).body as string[][];
  expect(all.map(({ name }) => name)).toEqual(listed.map(([, name]) => name));
});
