// Ganeti's own master drives our node daemon: first on one node among Ganeti's, then on all.
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  benchUnavailable,
  bringUp,
  type OwnDaemon,
  type ReferenceBench,
  type ReferenceNode,
  replaceNodeDaemon,
} from "@ganeti-ts/reference";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { deviations, faultsOf } from "./operations.js";

const problem = benchUnavailable();
if (problem !== undefined) console.warn(`SKIPPED, no test has run here: ${problem}`);

const built = (name: string) => fileURLToPath(new URL(`../../dist/${name}`, import.meta.url));

/** Time limit (ms), far longer than the operations take; the master needs seconds for each. */
const timeoutMs = 1_200_000;

describe.skipIf(problem !== undefined)("Ganeti's master and our node daemon", () => {
  let bench: ReferenceBench;
  let faultsBefore: readonly string[];
  const daemons = new Map<string, OwnDaemon>();
  beforeAll(async () => {
    bench = await bringUp({ storage: true });
    faultsBefore = await faultsOf(bench);
  });
  afterAll(() => bench?.down());

  async function replace(node: ReferenceNode): Promise<void> {
    // The node also gets our program for transfers; the other nodes keep Ganeti's.
    const folder = join(node.root, "usr/lib/ganeti");
    mkdirSync(folder, { recursive: true });
    const program = join(folder, "import-export");
    const command = `exec ${process.execPath} ${built("import-export.js")} "$@"`;
    writeFileSync(program, `#!/bin/sh\n${command}\n`);
    chmodSync(program, 0o755);
    daemons.set(node.name, await replaceNodeDaemon(bench, node, built("ganeti-ts-noded.js")));
  }

  const faultsOfDaemons = () =>
    [...daemons.values()].flatMap(({ log }) =>
      log()
        .split("\n")
        .filter((line) => / ERROR /.test(line)),
    );

  test("recorded life cycles of instances end as on nodes of Ganeti when one of three nodes has our daemon", {
    timeout: timeoutMs,
  }, async () => {
    const [, second] = bench.nodes;
    await replace(second as ReferenceNode);
    expect(await faultsOf(bench)).toEqual(faultsBefore);
    const names = /^(diskless|forthcoming|file|backup|plain)\b/;
    expect(await deviations(bench, { names, isAllOurs: false })).toEqual([]);
    expect(await faultsOf(bench)).toEqual(faultsBefore);
    expect(faultsOfDaemons()).toEqual([]);
  });

  test("the nodes hold the configuration of the master after it has been distributed", async () => {
    await bench.exec("gnt-cluster", ["redist-conf"]);
    const [one, two] = bench.nodes.map(({ dataFolder }) => dataFolder) as [string, string];
    for (const name of ["config.data", "ssconf_node_list", "known_hosts", "rapi/users"]) {
      expect(readFileSync(join(two, name), "utf8"), name).toBe(
        readFileSync(join(one, name), "utf8"),
      );
    }
  });

  test("the recorded operations end as on nodes of Ganeti when all nodes have our daemon", {
    timeout: timeoutMs,
  }, async () => {
    const [first, , third] = bench.nodes;
    for (const node of [first, third]) await replace(node as ReferenceNode);
    expect(await faultsOf(bench)).toEqual(faultsBefore);
    expect(await deviations(bench, { names: /./, isAllOurs: true })).toEqual([]);
    expect(await faultsOf(bench)).toEqual(faultsBefore);
    expect(faultsOfDaemons()).toEqual([]);
  });

  test("Ganeti's daemons take over instances of ours, and ours those of Ganeti's", async () => {
    const states = async () => {
      const fields = ["--no-headers", "-o", "name,pnode,status,oper_ram"];
      return (await bench.exec("gnt-instance", ["list", ...fields])).stdout;
    };
    const before = await states();
    expect(before).toContain("running");
    for (const daemon of daemons.values()) await daemon.stop();
    await bench.startAll();
    expect(await states()).toBe(before);
    await bench.exec("gnt-instance", ["reboot", "inst1.example.com"]);
    for (const node of bench.nodes) await replace(node);
    expect(await states()).toBe(before);
    await bench.exec("gnt-instance", ["shutdown", "inst1.example.com"]);
    await bench.exec("gnt-instance", ["startup", "inst1.example.com"]);
    expect(await states()).toBe(before);
  });
});
