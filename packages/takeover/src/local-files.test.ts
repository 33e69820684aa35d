import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { localGanetiFiles, ownPresentConfiguration, stampsIn } from "./local-files.js";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** Files of a master as Ganeti writes them. */
async function aMaster() {
  const data = mkdtempSync(join(tmpdir(), "ganeti-files-"));
  folders.push(data);
  mkdirSync(join(data, "queue"));
  writeFileSync(join(data, "config.data"), '{"old":1}', { mode: 0o640 });
  writeFileSync(join(data, "ssconf_master_node"), "node1.example.com\n");
  const site = { host: "node1.example.com", root: undefined, data };
  const stamps = stampsIn(join(data, "stamps.json"));
  await ownPresentConfiguration(site, stamps);
  return { data, site, stamps, files: await localGanetiFiles(site, stamps) };
}

test("config.data is replaced, keeps its mode, and is recognised as our own after a restart", async () => {
  const { data, site, stamps, files } = await aMaster();
  const written = await files.writeConfiguration('{"new":1}');
  expect(readFileSync(join(data, "config.data"), "utf8")).toBe('{"new":1}');
  expect(statSync(join(data, "config.data")).mode & 0o777).toBe(0o640);
  expect(written.mode).toBe(0o100640);
  const again = await localGanetiFiles(site, stamps);
  expect(await again.foreignChange()).toBeUndefined();
});

test.each([
  {
    why: "a config.data that another program has replaced is never overwritten",
    change: (data: string) => {
      writeFileSync(join(data, "other"), '{"foreign":1}');
      renameSync(join(data, "other"), join(data, "config.data"));
    },
    reason: "/var/lib/ganeti/config.data has been changed by another program",
    left: '{"foreign":1}',
  },
  {
    why: "nothing is written where the ssconf files name another master",
    change: (data: string) =>
      writeFileSync(join(data, "ssconf_master_node"), "node2.example.com\n"),
    reason: "/var/lib/ganeti/ssconf_master_node names node2.example.com, not node1.example.com",
    left: '{"old":1}',
  },
])("$why", async ({ change, reason, left }) => {
  const { data, files } = await aMaster();
  change(data);
  await expect(files.writeConfiguration('{"new":1}')).rejects.toThrow(reason);
  expect(await files.foreignChange()).toBe(reason);
  expect(readFileSync(join(data, "config.data"), "utf8")).toBe(left);
});

test("a crash around the rename leaves either config.data recognised as our own", async () => {
  const { data, site, stamps } = await aMaster();
  const remembered: (readonly string[])[] = [];
  const recording = {
    known: stamps.known,
    remember: async (own: readonly string[]) => {
      remembered.push(own);
      await stamps.remember(own);
      // A crash before the rename, and one after it, are followed by a start with these stamps.
      expect(await (await localGanetiFiles(site, stamps)).foreignChange()).toBeUndefined();
    },
  };
  await (await localGanetiFiles(site, recording)).writeConfiguration('{"new":1}');
  expect(remembered.map(({ length }) => length)).toEqual([2, 1]);
  expect(existsSync(join(data, "config.data.new"))).toBe(false);
});

test("files of the queue are moved into a folder of the archive, missing ones are skipped", async () => {
  const { data, files } = await aMaster();
  await files.writeQueueFile("job-3", "{}");
  expect(statSync(join(data, "queue/job-3")).mode & 0o777).toBe(0o640);
  await files.moveQueueFiles([
    ["job-3", "archive-0/job-3"],
    ["job-4", "archive-0/job-4"],
  ]);
  expect(readFileSync(join(data, "queue/archive-0/job-3"), "utf8")).toBe("{}");
  await files.setDrained(true);
  expect(existsSync(join(data, "queue/drain"))).toBe(true);
  await files.setDrained(false);
  expect(existsSync(join(data, "queue/drain"))).toBe(false);
});
