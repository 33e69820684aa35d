import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Upload, uploadTargets } from "@ganeti-ts/node-calls";
import { describe, expect, test } from "vitest";
import { aContext, fakeRunner, noSignal } from "../../test/a-context.js";
import { watcherCalls } from "./calls.js";
import { withHost, withoutHost } from "./etc-hosts.js";
import { lockFile } from "./file-lock.js";
import { queueCalls } from "./queue-calls.js";
import { uploadCalls } from "./upload-calls.js";

const upload = (change: Partial<Upload> = {}): Upload => ({
  path: "/var/lib/ganeti/known_hosts",
  content: "a key\n",
  mode: 0o100640,
  owner: "root",
  group: "root",
  accessedAt: 1_700_000_000,
  modifiedAt: 1_700_000_001,
  ...change,
});

describe("uploads", () => {
  test("get the mode and the times of the master's file", async () => {
    const context = aContext();
    await uploadCalls(context).upload_file(upload(), noSignal);
    const path = join(context.paths.data, "known_hosts");
    const { mode, mtimeMs, atimeMs } = statSync(path);
    expect([mode & 0o7777, atimeMs, mtimeMs]).toEqual([0o640, 1.7e12, 1.700000001e12]);
    expect(readFileSync(path, "utf8")).toBe("a key\n");
  });

  test.each([
    ["/etc/passwd", "not in allowed upload targets: '/etc/passwd'"],
    ["/var/lib/ganeti/server.pem", "not in allowed upload targets"],
    ["/var/lib/ganeti/../../../etc/hosts", "not in allowed upload targets"],
    ["known_hosts", "is not absolute: 'known_hosts'"],
  ])("to %s are refused", async (path, fault) => {
    await expect(uploadCalls(aContext()).upload_file(upload({ path }), noSignal)).rejects.toThrow(
      fault,
    );
  });

  test.each(uploadTargets)("to %s are accepted", async (path) => {
    const context = aContext();
    mkdirSync(dirname(join(context.root, path)), { recursive: true });
    await uploadCalls(context).upload_file(upload({ path }), noSignal);
    expect(readFileSync(join(context.root, path), "utf8")).toBe("a key\n");
  });

  const listed = async (list: string, mode: number, path: string) => {
    const context = aContext();
    mkdirSync(join(context.root, "etc/ganeti"), { recursive: true });
    mkdirSync(join(context.root, "var/lib/ganeti"), { recursive: true });
    const { upload_file } = uploadCalls(context);
    const first = upload({ path: "/etc/ganeti/redistribute-files", content: list, mode });
    await upload_file(first, noSignal);
    await upload_file(upload({ path, group: "daemon" }), noSignal);
    return statSync(join(context.root, path));
  };

  test("to a file in the list are accepted, with any owner and group of the machine", async () => {
    const { gid } = await listed("# mine\n/etc/motd # today\n", 0o644, "/etc/motd");
    expect(gid).toBe(1);
  });

  test.each([
    { why: "the list does not name", list: "/etc/motd2\n", mode: 0o644, path: "/etc/motd" },
    { why: "a list of others names", list: "/etc/motd\n", mode: 0o664, path: "/etc/motd" },
    ...["/var/lib/ganeti/server.pem", "/etc/ganeti/file-storage-paths", "/etc/../root/x"].map(
      (path) => ({ why: "no list may name", list: `${path}\n`, mode: 0o644, path }),
    ),
  ])("to a file that $why are refused: $path", async ({ list, mode, path }) => {
    await expect(listed(list, mode, path)).rejects.toThrow("not in allowed upload targets");
  });

  test("for an owner that is not one of Ganeti's users are refused", async () => {
    const call = uploadCalls(aContext()).upload_file(upload({ owner: "mail" }), noSignal);
    await expect(call).rejects.toThrow("User 'mail' is not known");
  });
});

describe("ssconf files", () => {
  test("hold one item on each line, and an empty value makes an empty file", async () => {
    const context = aContext();
    const values = { node_list: ["a", "b"], cluster_name: "c", cluster_tags: [] };
    await uploadCalls(context).write_ssconf_files({ values }, noSignal);
    const text = (key: string) => readFileSync(join(context.paths.data, `ssconf_${key}`), "utf8");
    expect(Object.keys(values).map(text)).toEqual(["a\nb\n", "c\n", ""]);
    expect(statSync(join(context.paths.data, "ssconf_node_list")).mode & 0o777).toBe(0o444);
  });

  test("are all refused if one key is unknown", async () => {
    const context = aContext();
    const values = { cluster_name: "c", "../evil": "x" };
    const call = uploadCalls(context).write_ssconf_files({ values }, noSignal);
    await expect(call).rejects.toThrow("Invalid key requested from SSConf: '../evil'");
    expect(() => statSync(join(context.paths.data, "ssconf_cluster_name"))).toThrow("ENOENT");
  });
});

test("a lock excludes a second holder until it is released", async () => {
  const { run, root } = aContext();
  const path = join(root, "lock");
  const first = await lockFile(run, path, 0);
  expect(await lockFile(run, path, 0)).toBeNull();
  first?.release();
  const second = await lockFile(run, path, 0);
  expect(second).not.toBeNull();
  second?.release();
});

test.each([
  { code: 66, stderr: "flock: cannot open lock file: No such file or directory" },
  { code: 71, stderr: "flock: 3: No locks available" },
  { code: 74, stderr: "flock: 3: Input/output error" },
  { code: 127, stderr: "flock: error while loading shared libraries" },
  { code: null, stderr: "" },
])("a lock that fails with %j is not taken for one that is held", async (ended) => {
  const { root } = aContext();
  const { run } = fakeRunner(() => ended);
  await expect(lockFile(run, join(root, "lock"), 0)).rejects.toThrow(
    `Cannot lock ${join(root, "lock")}: `,
  );
});

describe("the queue's copy", () => {
  test("refuses a rename out of its directory before it moves anything", async () => {
    const calls = queueCalls(aContext());
    const queue = "/var/lib/ganeti/queue";
    await calls.jobqueue_update({ path: `${queue}/job-1`, content: "{}" }, noSignal);
    const renames = [
      { from: `${queue}/job-1`, to: `${queue}/archive/0/job-1` },
      { from: `${queue}/job-2`, to: `${queue}/../../job-2` },
    ];
    await expect(calls.jobqueue_rename({ renames }, noSignal)).rejects.toThrow("does not belong");
    const again = { renames: renames.slice(0, 1) };
    expect(await calls.jobqueue_rename(again, noSignal)).toEqual([null]);
    expect(await calls.jobqueue_rename(again, noSignal)).toEqual([null]);
  });

  test("a rename fails if neither the old nor the new file exists", async () => {
    const queue = "/var/lib/ganeti/queue";
    const renames = [{ from: `${queue}/job-1`, to: `${queue}/job-2` }];
    const call = queueCalls(aContext()).jobqueue_rename({ renames }, noSignal);
    await expect(call).rejects.toThrow("ENOENT");
  });
});

test.each([
  ["a time an hour and a second ago", (now: number) => `${now - 3601}\n`, null],
  ["garbage", () => "tomorrow\n", null],
])("a pause of the watcher with %s is removed", async (_, text, expected) => {
  const now = 1_700_000_000;
  const clock = { now: () => 0, after: () => () => {}, wallMicros: () => now * 1e6 };
  const context = aContext({ clock });
  const path = join(context.paths.data, "watcher.pause");
  writeFileSync(path, text(now));
  expect(await watcherCalls(context).get_watcher_pause({}, noSignal)).toBe(expected);
  expect(() => statSync(path)).toThrow("ENOENT");
});

describe("/etc/hosts", () => {
  const text = "# 192.0.2.9 comment\n127.0.0.1 localhost\n192.0.2.9 old\n192.0.2.9 older\n";
  test("has one line for an added address, in place of the first former one", () => {
    expect(withHost(text, "192.0.2.9", "node9.example.com")).toBe(
      "# 192.0.2.9 comment\n127.0.0.1 localhost\n192.0.2.9\tnode9.example.com node9\n",
    );
    expect(withHost("", "192.0.2.9", "node9")).toBe("192.0.2.9\tnode9\n");
  });
  test("loses a removed name, and lines without any other name", () => {
    const before = "127.0.0.1 localhost node9\n192.0.2.9\tnode9.example.com node9\n::1 other";
    expect(withoutHost(before, "node9.example.com")).toBe("127.0.0.1 localhost\n::1 other\n");
  });
});
