// Adoption and hand-back of a populated bench, with all files and lists compared before and after.
import { statSync } from "node:fs";
import { join } from "node:path";
import { benchUnavailable, type ReferenceBench, withReferenceCluster } from "@ganeti-ts/reference";
import { describe, expect, test } from "vitest";
import {
  changedPaths,
  debian,
  filesOf,
  isHandedBack,
  newDataDirectory,
  removed,
  runOwn,
  succeeded,
  textOf,
  until,
  verified,
} from "./adoption.js";

const problem = benchUnavailable();
if (problem !== undefined) console.warn(`SKIPPED, no test has run here: ${problem}`);

/** Every kind of operation that virtual nodes allow, by Debian's own programs. */
const operations: readonly string[] = [
  "gnt-cluster add-tags adopted:yes",
  "gnt-instance add --no-ip-check -o noop+default -t diskless -n node1.example.com -B memory=128M inst10.example.com",
  "gnt-instance add --no-ip-check -o noop+default -t file -s 16M -n node2.example.com -B memory=128M inst11.example.com",
  "gnt-instance reboot inst10.example.com",
  "gnt-instance shutdown inst10.example.com",
  "gnt-instance startup inst10.example.com",
  "gnt-instance modify -B memory=192M inst10.example.com",
  "gnt-instance migrate -f inst2.example.com",
  "gnt-instance failover -f inst10.example.com",
  "gnt-instance shutdown inst11.example.com",
  "gnt-instance rename --no-ip-check inst11.example.com inst12.example.com",
  "gnt-instance grow-disk inst12.example.com 0 16M",
  "gnt-instance reinstall -f inst12.example.com",
  "gnt-instance remove -f inst12.example.com",
  "gnt-group add g3",
  "gnt-group rename g3 g4",
  "gnt-group remove g4",
  "gnt-network add --network=10.89.0.0/24 net2",
  "gnt-network remove net2",
  "gnt-node modify --offline=yes node3.example.com",
  "gnt-node modify -f --offline=no node3.example.com",
  "gnt-node add-tags node2.example.com rack:b1",
  "gnt-cluster modify -B vcpus=2",
  "gnt-cluster redist-conf",
];

const files = ["config.data", "queue/serial", "queue/ganeti-ts.json"];

/** Instances by name, with what a restart would change on their node. */
function lives(
  { nodes }: ReferenceBench,
  names: readonly string[],
): readonly (readonly unknown[])[] {
  return names.map((name) => {
    const found = nodes.flatMap(({ runFolder }) => {
      const state = statSync(join(runFolder, "fake-hypervisor", name), { throwIfNoEntry: false });
      return state === undefined ? [] : [[state.ino, state.mtimeMs]];
    });
    return [name, ...found];
  });
}

const untouched = ["inst1", "inst3", "inst4"].map((name) => `${name}.example.com`);

/** Lists of the cluster as Ganeti's own programs print them. */
const shown = async (bench: ReferenceBench) => ({
  instances: await debian(
    bench,
    "gnt-instance list -o name,pnode,oper_state,status,tags,be/memory",
  ),
  nodes: await debian(bench, "gnt-node list -o name,role,group,pinst_list,tags"),
  groups: await debian(bench, "gnt-group list"),
  networks: await debian(bench, "gnt-network list"),
  filters: await debian(bench, "gnt-filter list"),
  jobs: await debian(bench, "gnt-job list -o id,status,summary"),
});

async function copiesAreEqual(bench: ReferenceBench): Promise<void> {
  const [master, ...others] = bench.nodes;
  for (const file of files) {
    for (const other of others) {
      const isEqual = () => textOf(other, file) === textOf(master, file);
      await until(isEqual, `${other.name} has the newest ${file}`);
    }
  }
}

describe.skipIf(problem !== undefined)("A cluster of Ganeti", () => {
  test("is adopted, worked on, handed back, and adopted again", { timeout: 600_000 }, () =>
    withReferenceCluster({}, async (bench) => {
      const data = newDataDirectory();
      const own = async (line: string) => succeeded(line, await runOwn(bench, data, line));
      try {
        const checked = await runOwn(bench, data, "gnt-cluster adopt --check");
        expect([checked.status, checked.stdout]).toEqual([
          1,
          expect.stringContaining("luxid is running"),
        ]);
        const errors = await verified(bench);
        const before = await shown(bench);
        const livesBefore = lives(bench, untouched);
        await bench.stopMaster();
        const filesBefore = bench.nodes.map(filesOf);
        expect(await own("gnt-cluster adopt")).toContain("is served from");

        expect(await shown(bench)).toEqual(before);
        const atAdoption = bench.nodes.map((node, at) =>
          changedPaths(filesBefore[at] ?? new Map(), filesOf(node)),
        );
        // The same configuration with numbers in our form, and the file with our own parts.
        for (const paths of atAdoption) {
          expect(paths.filter((path) => !files.includes(path))).toEqual([]);
        }
        for (const line of operations) await debian(bench, line);
        await copiesAreEqual(bench);
        expect(await verified(bench)).toEqual(errors);
        const ours = await shown(bench);

        expect(await own("gnt-cluster hand-back")).toContain(
          "Ganeti's daemons have the cluster again",
        );
        await isHandedBack(bench);
        // The verification is one more job.
        expect(await shown(bench)).toEqual(ours);
        expect(await verified(bench)).toEqual(errors);
        await debian(bench, "gnt-instance add-tags inst1.example.com back");
        expect(lives(bench, untouched)).toEqual(livesBefore);

        await bench.stopMaster();
        expect(await own("gnt-cluster adopt")).toContain("is served from");
        expect(await debian(bench, "gnt-instance list-tags inst1.example.com")).toContain("back");
        expect(lives(bench, untouched)).toEqual(livesBefore);
        await own("gnt-cluster hand-back");
      } finally {
        removed(data);
      }
    }),
  );
});
