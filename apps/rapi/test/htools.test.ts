// Debian's htools and ours give the same output on our server.
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withInstances } from "./instances.js";
import { aServer, type TestServer } from "./served.js";

const run = promisify(execFile);
const ours = (program: string) => join(import.meta.dirname, `../../hail/dist/${program}.js`);
const isThere = existsSync("/usr/bin/hbal") && existsSync(ours("hbal"));
if (!isThere) console.warn("SKIPPED: ganeti-htools is not installed, or apps/hail not built");

describe.skipIf(!isThere)("htools over the remote API", () => {
  let server: TestServer;
  let url: string;
  beforeAll(async () => {
    server = await aServer();
    await withInstances(
      server,
      ["a", "b", "c", "d"].map((name, at) => ({
        instance_name: `${name}.example.com`,
        beparams: { maxmem: 1024 * (at + 1), minmem: 1024, vcpus: at + 1 },
      })),
    );
    url = server.url.replace("://", "://jack:abc123@");
  });
  afterAll(() => server.end());

  const both = async (program: string, args: readonly string[]) => {
    const [theirs, own] = await Promise.all([
      run(`/usr/bin/${program}`, [...args]),
      run(process.execPath, [ours(program), ...args]),
    ]);
    return [own.stdout, theirs.stdout];
  };

  test.each([
    ["hbal", ["-p", "--print-instances", "-G", "default"]],
    ["hbal", ["-G", "group2", "-C"]],
    ["hspace", ["--machine-readable=yes", "--standard-alloc=4096,1024,1", "--disk-template=drbd"]],
  ])("%s %j says the same", async (program, args) => {
    const [own, theirs] = await both(program, ["-m", url, ...args]);
    expect(theirs).toMatch(/default|group2|HTS_OK=1/);
    expect(own).toBe(theirs);
  });

  test("hscan writes the same file", async () => {
    const folders = ["theirs", "ours"].map((name) => mkdtempSync(join(tmpdir(), `hscan-${name}-`)));
    const [theirs = "", own = ""] = folders;
    await run("/usr/bin/hscan", ["-d", theirs, url]);
    await run(process.execPath, [ours("hscan"), "-d", own, url]);
    const text = (folder: string) =>
      readFileSync(join(folder, readdirSync(folder)[0] ?? ""), "utf8");
    expect(text(theirs)).toMatch(/a\.example\.com\|1024/);
    expect(text(own)).toBe(text(theirs));
    for (const folder of folders) rmSync(folder, { recursive: true });
  });
});
