// Programs of htools over the local protocol: Debian's and ours say the same, and hbal carries out its plan.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { endOf, withInstances } from "../instances.js";
import { aServer, type TestServer } from "../served.js";
import { ended, haskellProgram, type Outcome, runHaskell } from "./debian.js";

const ourProgram = (name: string) => join(import.meta.dirname, `../../../hail/dist/${name}.js`);
const isThere = existsSync(haskellProgram("hbal")) && existsSync(ourProgram("hbal"));
if (!isThere) console.warn("SKIPPED: ganeti-htools is not there, or apps/hail is not built");

describe.skipIf(!isThere)("htools over the local protocol", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await aServer("--no-ssl");
    // All on the first node of their group.
    const nodes = { pnode: "node1.example.com", snode: "node2.example.com", iallocator: null };
    await withInstances(
      server,
      ["a", "b", "c", "d"].map((name, at) => ({
        ...nodes,
        instance_name: `${name}.example.com`,
        beparams: { memory: 1024 * (at + 1), vcpus: 1 },
      })),
    );
    // On no node: not for the programs.
    const bare = { OP_ID: "OP_INSTANCE_CREATE", mode: "create", forthcoming: true };
    const id = await server.world.queue.submit([{ ...bare, disks: [{}], nics: [] }]);
    expect((await endOf(server, id))[0]).toBe("success");
  });
  afterAll(() => server.end());

  const theirs = (name: string, args: readonly string[]) =>
    runHaskell(server.luxi.root, name, args);
  const ours = (name: string, args: readonly string[]): Promise<Outcome> =>
    ended(process.execPath, [ourProgram(name), ...args], {
      PATH: process.env.PATH,
      TZ: "UTC",
      GANETI_TS_DATA: server.directory.path,
    });

  test.each<[string, readonly string[]]>([
    ["hinfo", ["-L"]],
    ["hbal", ["-L", "-G", "default", "-p", "--print-instances", "-C"]],
    ["hspace", ["-L", "--machine-readable=yes", "--standard-alloc=4096,1024,1"]],
    ["hcheck", ["-L", "--machine-readable=yes"]],
    ["harep", ["--dry-run"]],
  ])("%s of ours and of Debian's say the same about our server", async (name, args) => {
    const original = await theirs(name, args);
    expect(original.stderr).not.toContain("rror");
    expect(original.stdout).toMatch(name === "harep" ? /^/ : /Loaded|HTS_OK=1|HCHECK_OK=1/);
    expect(await ours(name, args)).toEqual(original);
  });

  test.each([
    ["Debian's", theirs, "default"],
    ["our own", ours, "default"],
  ])(
    "hbal -L -X of %s balances the cluster, and has nothing to do then",
    async (_, hbal, group) => {
      const { queue } = server.cluster;
      // Back to where they began.
      for (const name of ["a", "b", "c", "d"]) {
        const found = server.cluster.snapshot().expectInstance(`${name}.example.com`);
        const primary = server.cluster.snapshot().node(found.primary_node as never)?.name;
        if (primary === "node1.example.com") continue;
        const move = { OP_ID: "OP_INSTANCE_MIGRATE", instance_name: `${name}.example.com` };
        await queue.ended(await queue.submit([move]));
      }
      const before = await queue.query([], ["id"]);
      expect((await hbal("hbal", ["-L", "-G", group])).stdout).toMatch(/Solution length=[1-9]/);
      const done = await hbal("hbal", ["-L", "-G", group, "-X"]);
      expect(done).toMatchObject({ status: 0, stderr: "" });
      expect(done.stdout).toMatch(/Got job IDs/);
      expect((await hbal("hbal", ["-L", "-G", group])).stdout).toMatch(/Solution length=0/);
      const jobs = (await queue.query([], ["status", "summary", "ops"])).slice(before.length);
      expect(jobs.length).toBeGreaterThan(0);
      for (const [status, , ops] of jobs.map((row) => row ?? [])) {
        expect(status).toBe("success");
        const [{ reason }] = ops as unknown as [{ reason: [string, string, bigint][] }];
        expect(reason.map(([source]) => source)).toEqual([
          ...["hbal", "gnt:client", expect.stringMatching(/^gnt:opcode:instance_/)],
        ]);
      }
    },
  );
});
