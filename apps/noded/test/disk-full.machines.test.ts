// Full file systems of a node: errors name the path, old files stay intact, and calls succeed as soon as there is room.
import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { DiskOnNode } from "@ganeti-ts/node-calls";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { queueCalls } from "../src/host/queue-calls.js";
import { uploadCalls } from "../src/host/upload-calls.js";
import { osCalls } from "../src/os/calls.js";
import { openDisksOf } from "../src/os/os-scripts.js";
import { storageCalls } from "../src/storage/calls.js";
import { diskTypes } from "../src/storage/disk-types.js";
import { aContext, noSignal, type TestContext } from "./a-context.js";
import { compiledProgram } from "./compiled-program.js";
import { type MachineFolder, machineFolder } from "./machine-folder.js";
import { machine, machinesUnavailable, namespace, testNode } from "./machine-namespace.js";
import { mountsUnavailable, type SmallFileSystem, smallFileSystem } from "./small-file-system.js";
import { disk, ended, file, instance, send, transfer, transferNode } from "./transfer-nodes.js";

const problem = machinesUnavailable() ?? mountsUnavailable();
if (problem !== undefined) console.warn(`SKIPPED: ${problem}`);

const mib = 1024 ** 2;
/** Expects that the call fails with a text that contains `path` while the file system is full, and then succeeds. */
async function fullThenRoom(
  room: SmallFileSystem,
  path: string,
  action: () => Promise<unknown>,
): Promise<void> {
  const before = room.files();
  room.fill();
  const text = await action().then(
    (value) => `answered ${JSON.stringify(value)}`,
    (error: Error) => error.message,
  );
  expect(text).toContain(path);
  expect(text).toMatch(/no space left/i);
  expect(room.files()).toEqual(before);
  room.empty();
  await action();
}

const full = `file systems that are full (${problem ?? "ready"})`;
describe.skipIf(problem !== undefined)(full, () => {
  let context: TestContext;
  beforeEach(() => {
    context = aContext();
  });

  const upload = {
    ...{ owner: "root", group: "root", mode: 0o640, accessedAt: 1, modifiedAt: 1 },
    content: Buffer.from("n".repeat(100_000)),
  };

  test("uploads and ssconf files keep the old content, and get the new content when there is room", async () => {
    const room = smallFileSystem(context.paths.data, 256);
    const path = join(context.paths.data, "config.data");
    const old = `${"o".repeat(99_999)}\n`;
    writeFileSync(path, old);
    const { upload_file, write_ssconf_files } = uploadCalls(context);
    const send = () =>
      upload_file({ ...upload, path: "/var/lib/ganeti/config.data" } as never, noSignal);
    room.fill();
    await expect(send()).rejects.toThrow(`Cannot write ${path}: ENOSPC: no space left on device`);
    expect(readFileSync(path, "utf8")).toBe(old);
    room.empty();
    await fullThenRoom(room, path, send);
    expect(readFileSync(path, "utf8")).toBe(upload.content.toString());
    const names = join(context.paths.data, "ssconf_node_list");
    const values = { node_list: ["node1.example.com"] };
    await fullThenRoom(room, names, () => write_ssconf_files({ values }, noSignal));
    expect(readFileSync(names, "utf8")).toBe("node1.example.com\n");
  });

  test("copies of jobs keep their old content", async () => {
    const queue = join(context.paths.data, "queue");
    const room = smallFileSystem(queue, 64);
    const { jobqueue_update } = queueCalls(context);
    const path = "/var/lib/ganeti/queue/job-7";
    await jobqueue_update({ path, content: "old" }, noSignal);
    const content = "n".repeat(20_000);
    room.fill();
    await expect(jobqueue_update({ path, content }, noSignal)).rejects.toThrow(
      `Cannot write ${join(queue, "job-7")}: ENOSPC: no space left on device`,
    );
    expect(readFileSync(join(queue, "job-7"), "utf8")).toBe("old");
    await fullThenRoom(room, join(queue, "job-7"), () =>
      jobqueue_update({ path, content }, noSignal),
    );
    expect(readFileSync(join(queue, "job-7"), "utf8")).toBe(content);
  });

  test("disks in files are wiped and filled with images as soon as there is room, and keep their size", async () => {
    const directory = join(context.root, "disks");
    const room = smallFileSystem(directory, 2048);
    context.write("etc/ganeti/file-storage-paths", `${directory}\n`);
    const path = join(directory, "disk0");
    const one: DiskOnNode = { uuid: "u", dev_type: "file", size: 1, logical_id: ["loop", path] };
    const calls = storageCalls(context) as Required<ReturnType<typeof storageCalls>>;
    const creation = { owner: "web", onPrimary: true, info: "i", exclusiveStorage: false };
    await calls.blockdev_create({ disk: one, sizeMib: 1, ...creation }, noSignal);
    await fullThenRoom(room, path, () =>
      calls.blockdev_wipe({ disk: one, offsetMib: 0, sizeMib: 1 }, noSignal),
    );
    await calls.blockdev_remove({ disk: one }, noSignal);
    expect(room.files()).toEqual([]);

    const image = randomBytes(mib);
    const server = createServer((_, answer) => answer.end(image)).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/image`;
    for (const source of [context.write("image", ""), url]) {
      if (source !== url) writeFileSync(source, image);
      await calls.blockdev_create({ disk: one, sizeMib: 1, ...creation }, noSignal);
      await fullThenRoom(room, path, () =>
        calls.blockdev_image(
          { disk: one, image: source.replace(context.root, ""), sizeMib: 1 },
          noSignal,
        ),
      );
      expect(readFileSync(path).equals(image)).toBe(true);
      await calls.blockdev_remove({ disk: one }, noSignal);
    }
    server.close();
  });

  test("the script of an OS fails with the name of the log that it cannot write", async () => {
    const room = smallFileSystem(context.paths.log, 64);
    for (const name of ["create", "import", "export", "rename", "verify"]) {
      context.write(`srv/ganeti/os/noop/${name}`, "#!/bin/sh\nset -e; echo hello\n", 0o755);
    }
    context.write("srv/ganeti/os/noop/ganeti_api_version", "15\n");
    const { instance_os_add } = osCalls({ ...context, openDisks: openDisksOf(diskTypes(context)) });
    const create = () =>
      instance_os_add({ instance, reinstall: false, debugLevel: 0 } as never, noSignal);
    room.fill();
    const log = join(context.paths.log, "os/add-noop-web.example.com");
    await expect(create()).rejects.toThrow(`(there is no space left for ${log}`);
    room.empty();
    await create();
  });

  test("certificates leave no folder if their key cannot be written", async () => {
    const node = transferNode(folder, program);
    const room = smallFileSystem(node.context.paths.crypto, 64);
    room.fill();
    await expect(node.x509_cert_create({ validitySeconds: 600 }, noSignal)).rejects.toThrow(
      /Cannot make a certificate: .*\/key was not written to its end \(there is no space left/,
    );
    expect(readdirSync(node.context.paths.crypto)).toEqual([".ballast"]);
    room.empty();
    expect((await node.x509_cert_create({ validitySeconds: 600 }, noSignal)).certPem).toContain(
      "BEGIN",
    );
  });

  let folder: MachineFolder;
  let program: string;
  beforeAll(async () => {
    program = compiledProgram("import-export");
    folder = await machineFolder();
  });
  afterAll(() => folder.remove());

  const content = randomBytes(5 * mib);
  function sender() {
    const made = transferNode(folder, program, async () => [
      { path: join(made.context.root, "disk"), uri: null },
    ]);
    writeFileSync(join(made.context.root, "disk"), content);
    return made;
  }

  test("an import into a full export directory names and removes its file, and succeeds when there is room", async () => {
    const [from, to] = [sender(), transferNode(folder, program)];
    const { exports } = to.context.paths;
    const room = smallFileSystem(exports, 8 * 1024);
    const old = join(exports, instance.name);
    mkdirSync(old);
    writeFileSync(join(old, "config.ini"), "[export]\nversion = 0\n[instance]\nname = old\n");
    writeFileSync(join(exports, ".part"), Buffer.alloc(6 * mib));
    const first = await send(from, to);
    const status = await ended(to, first.into);
    const dump = join(exports, file.path);
    expect(status).toMatchObject({ exitStatus: 1 });
    expect(status.recentOutput.join("\n")).toContain(
      `${dump} was not written to its end, and is removed`,
    );
    expect(status.recentOutput.join("\n")).toContain("No space left on device");
    // The sender may have written all data to its socket before the receiver ended.
    await ended(from, first.out);
    expect(existsSync(dump)).toBe(false);
    expect(readFileSync(join(old, "config.ini"), "utf8")).toContain("name = old");

    writeFileSync(join(exports, ".part"), "");
    const second = await send(from, to);
    expect((await ended(to, second.into)).exitStatus).toBe(0);
    const sum = (data: Buffer) => createHash("sha256").update(data).digest("hex");
    expect(sum(readFileSync(dump))).toBe(sum(content));
    room.fill();
    await expect(to.finalize_export({ instance, disks: [disk] }, noSignal)).rejects.toThrow(
      `Cannot write ${join(exports, "web.example.com.new/config.ini")}: ENOSPC`,
    );
    expect(readFileSync(join(old, "config.ini"), "utf8")).toContain("name = old");
    room.empty();
    await to.finalize_export({ instance, disks: [disk] }, noSignal);
    expect(await to.export_info({ path: instance.name }, noSignal)).toMatchObject({
      instance: { name: instance.name },
    });
    const names = [
      [to, first.into],
      [from, first.out],
      [to, second.into],
      [from, second.out],
    ] as const;
    for (const [node, name] of names) await node.impexp_cleanup({ name }, noSignal);
  });

  test("a transfer does not start without room for its files, and leaves none behind", async () => {
    const to = transferNode(folder, program);
    const room = smallFileSystem(join(to.context.paths.run, "import-export"), 64);
    const start = () => to.import_start({ ...transfer, end: file }, noSignal);
    room.fill();
    await expect(start()).rejects.toThrow(
      /Cannot write .*\/import-export\/import-disk0-.*\/ca: ENOSPC/,
    );
    expect(room.files()).toEqual([]);
    room.empty();
    const name = await start();
    expect(await to.impexp_status({ names: [name] }, noSignal)).toMatchObject([
      { exitStatus: null },
    ]);
    await to.impexp_cleanup({ name }, noSignal);
    expect(room.files()).toEqual([]);
  });

  test("a transfer whose status cannot be written continues, and reports its end when there is room", async () => {
    const [from, to] = [sender(), transferNode(folder, program)];
    const room = smallFileSystem(join(to.context.paths.run, "import-export"), 64);
    const into = await to.import_start({ ...transfer, end: file }, noSignal);
    const look = async () => (await to.impexp_status({ names: [into] }, noSignal))[0];
    await expect.poll(async () => (await look())?.listenPort, { timeout: 60_000 }).not.toBeNull();
    const port = (await look())?.listenPort as number;
    room.fill();
    const end = { kind: "raw-disk", disk } as const;
    const out = await from.export_start({ ...transfer, end, host: "127.0.0.1", port }, noSignal);
    expect((await ended(from, out)).exitStatus).toBe(0);
    const dump = join(to.context.paths.exports, file.path);
    await expect.poll(() => readFileSync(dump).equals(content), { timeout: 60_000 }).toBe(true);
    expect(await look()).toMatchObject({ exitStatus: null });
    room.empty();
    expect((await ended(to, into)).exitStatus).toBe(0);
    for (const [node, name] of [
      [to, into],
      [from, out],
    ] as const) {
      await node.impexp_cleanup({ name }, noSignal);
    }
  });

  test("a start without room for the runtime file names it, leaves nothing behind, and succeeds when there is room", async () => {
    const node = testNode(namespace());
    const room = smallFileSystem(node.files.runtimes, 64);
    const web = machine({ disks: [node.disk("a")] });
    const start = () => node.start(web);
    const { runtime } = node.files.of(web.name);
    await fullThenRoom(room, `Failed to save KVM runtime file: Cannot write ${runtime}`, start);
    expect(await node.names()).toEqual([web.name]);
    await node.stop(web);
    expect(room.files()).toEqual([]);
  });
});
