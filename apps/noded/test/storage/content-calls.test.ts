import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DiskOnNode } from "@ganeti-ts/node-calls";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemRunner } from "../../src/machine/system-runner.js";
import { storageCalls } from "../../src/storage/calls.js";
import { noSignal } from "../a-context.js";
import { scriptedMachine } from "../scripted-machine.js";

const mib = 1024 * 1024;
describe("the content of disks", () => {
  let root: string;
  let server: Server;
  let url: string;
  let disk: DiskOnNode;
  let calls: ReturnType<typeof storageCalls>;
  /** If set, the server stops its response after the first part. */
  let isStuck: boolean;

  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), "content-"));
    mkdirSync(join(root, "etc/ganeti"), { recursive: true });
    mkdirSync(join(root, "disks"));
    writeFileSync(join(root, "etc/ganeti/file-storage-paths"), `${join(root, "disks")}\n`);
    const path = join(root, "disks/a");
    writeFileSync(path, Buffer.alloc(3 * mib, "x"));
    disk = {
      uuid: "uuid-a",
      dev_type: "file",
      size: 3,
      iv_name: "disk/0",
      logical_id: ["loop", path],
    };
    const { context } = scriptedMachine({}, root);
    calls = storageCalls({ ...context, run: systemRunner(() => {}) });
    isStuck = false;
    server = createServer((request, response) => {
      if (request.url !== "/image") response.writeHead(404).end();
      else if (isStuck) response.write("part");
      else response.end(Buffer.alloc(2 * mib, "i"));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
    rmSync(root, { recursive: true });
  });

  /** The first letter of each MiB. */
  const content = () => {
    const bytes = readFileSync(join(root, "disks/a"));
    return (
      [0, 1, 2].map((at) => String.fromCharCode(bytes[at * mib] ?? 32)).join("") + bytes.length
    );
  };
  const image = (name: string, sizeMib = 3, caller = noSignal) =>
    calls.blockdev_image?.({ disk, image: name, sizeMib }, caller);

  test("is replaced by an image in a file, and the part after the image stays", async () => {
    const path = join(root, "image");
    writeFileSync(path, Buffer.alloc(mib, "f"));
    await image(path);
    expect(content()).toBe(`fxx${3 * mib}`);
    await expect(image(join(root, "none"))).rejects.toThrow(
      `Image '${join(root, "none")}' not found`,
    );
    await expect(image(path, 4)).rejects.toThrow("Image size is bigger than device size");
  });

  test("is downloaded, up to the given size", async () => {
    await image(`${url}/image`);
    expect(content()).toBe(`iix${3 * mib}`);
    await expect(image(`${url}/image`, 1)).rejects.toThrow("Disk image larger than the disk");
  });

  test("is not changed by downloads that fail", async () => {
    await expect(image(`${url}/none`)).rejects.toThrow(`Cannot download '${url}/none': 404`);
    await expect(image("ftp://192.0.2.1/image")).rejects.toThrow("only http and https");
    await expect(image("http://127.0.0.1:1/image")).rejects.toThrow("Cannot download");
    expect(content()).toBe(`xxx${3 * mib}`);
  });

  test("is no longer downloaded once the caller has gone", async () => {
    isStuck = true;
    const caller = new AbortController();
    server.once("request", () => setImmediate(() => caller.abort(new Error("gone"))));
    await expect(image(`${url}/image`, 3, caller.signal)).rejects.toThrow(/Cannot download .*gone/);
  });

  test("is wiped in the given range only", async () => {
    const wipe = (offsetMib: number, sizeMib: number) =>
      calls.blockdev_wipe?.({ disk, offsetMib, sizeMib }, noSignal);
    await wipe(1, 1);
    expect(content()).toBe(`x\0x${3 * mib}`);
    await expect(wipe(-1, 1)).rejects.toThrow("Negative offset");
    await expect(wipe(0, -1)).rejects.toThrow("Negative size");
    await expect(wipe(4, 0)).rejects.toThrow("Wipe offset is bigger than device size");
    await expect(wipe(2, 2)).rejects.toThrow("Wipe offset and size are bigger than device size");
  });
});
