// Our server on a cluster whose nodes have Ganeti's daemon, or ours.
import { fileURLToPath } from "node:url";
import {
  benchUnavailable,
  type OwnDaemon,
  type ReferenceNode,
  replaceNodeDaemon,
  withReferenceCluster,
} from "@ganeti-ts/reference";
import { describe, expect, test } from "vitest";
import { ownServer } from "./traced-run.js";

const problem = benchUnavailable();
if (problem !== undefined) console.warn(`SKIPPED, no test has run here: ${problem}`);

const daemonProgram = fileURLToPath(
  new URL("../../../noded/dist/ganeti-ts-noded.js", import.meta.url),
);
const [web, db] = ["inst20.example.com", "inst26.example.com"];
const [one, two] = ["node1.example.com", "node2.example.com"];
const add = "gnt-instance add --no-ip-check -o noop+default -B memory=128M";

/** An instance of each kind, moved between a node with Ganeti's daemon and one with ours, there and back. */
const commands: readonly string[] = [
  `${add} -t diskless -n ${one} ${web}`,
  `gnt-instance migrate -f -n ${two} ${web}`,
  `gnt-instance reboot --type=hard ${web}`,
  `gnt-instance failover -f -n ${one} ${web}`,
  `gnt-instance failover -f -n ${two} ${web}`,
  `gnt-instance migrate -f -n ${one} ${web}`,
  `${add} -t drbd -s 128M -n ${one}:${two} ${db}`,
  `gnt-instance migrate -f ${db}`,
  `gnt-instance grow-disk ${db} 0 64M`,
  `gnt-instance migrate -f ${db}`,
  `gnt-instance failover -f ${db}`,
  `gnt-instance replace-disks -p ${db}`,
  `gnt-instance replace-disks -s ${db}`,
  `gnt-instance failover -f ${db}`,
  "gnt-cluster redist-conf",
];

describe.skipIf(problem !== undefined)("Our server on a mixed cluster", () => {
  test("migrates and fails over between Ganeti's daemon and ours", { timeout: 900_000 }, () =>
    withReferenceCluster({ storage: true }, async (bench) => {
      const [, second] = bench.nodes;
      const daemon: OwnDaemon = await replaceNodeDaemon(
        bench,
        second as ReferenceNode,
        daemonProgram,
      );
      const server = await ownServer(bench);
      try {
        const failures: object[] = [];
        for (const command of commands) {
          const { status, stdout, stderr } = await server.run(command);
          if (status !== 0) failures.push({ command, output: `${stdout}${stderr}` });
        }
        expect(failures).toEqual([]);
        const fields = "--no-headers --separator=| -o name,pnode,status";
        const { stdout } = await server.run(`gnt-instance list ${fields} ${web} ${db}`);
        expect(stdout).toBe(`${web}|${one}|running\n${db}|${one}|running\n`);
        for (const name of [web, db]) {
          expect(await server.run(`gnt-instance remove -f ${name}`)).toMatchObject({ status: 0 });
        }
        expect(daemon.log()).not.toContain(" ERROR ");
      } finally {
        await server.stop();
      }
    }),
  );
});
