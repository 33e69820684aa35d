// Effects on Ganeti's nodes beyond the calls themselves.

import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { benchUnavailable, type ReferenceBench, withReferenceCluster } from "@ganeti-ts/reference";
import { describe, expect, test } from "vitest";
import type { Outcome } from "../luxi/debian.js";
import { ownServer } from "./traced-run.js";

const problem = benchUnavailable();
if (problem !== undefined) console.warn(`SKIPPED, no test has run here: ${problem}`);

/** A script of every node that writes its environment into a file of that node; gives the paths of these. */
function placeHook({ nodes }: ReferenceBench, hook: string): readonly string[] {
  return nodes.map(({ root }) => {
    const scripts = join(root, "etc/ganeti/hooks", `${hook}.d`);
    const told = join(root, `told-${hook}`);
    mkdirSync(scripts, { recursive: true, mode: 0o755 });
    const script = join(scripts, "tell");
    writeFileSync(script, `#!/bin/sh\nenv > ${told}\n`);
    chmodSync(script, 0o755);
    return told;
  });
}

const variablesIn = (path: string): Record<string, string> =>
  Object.fromEntries(
    readFileSync(path, "utf8")
      .split("\n")
      .filter((line) => line.includes("="))
      .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );

const wellEnded = ({ status, stdout, stderr }: Outcome): string => {
  expect([status, stderr]).toEqual([0, expect.anything()]);
  return `${stdout}${stderr}`;
};

describe.skipIf(problem !== undefined)("Our server on nodes of Ganeti", () => {
  test("has hooks run on the primary node and the master", () =>
    withReferenceCluster({}, async (bench) => {
      const told = placeHook(bench, "instance-reboot-post");
      const server = await ownServer(bench);
      try {
        const list = await server.run("gnt-instance list --no-headers -o name,pnode,oper_state");
        const running = list.stdout.split("\n").find((line) => line.trim().endsWith("Y")) ?? "";
        const [instance = "", primary = ""] = running.trim().split(/\s+/);
        wellEnded(await server.run(`gnt-instance reboot --type=hard ${instance}`));
        const wanted = bench.nodes.map(({ name }) => [primary, bench.master.name].includes(name));
        expect(told.map((path) => existsSync(path))).toEqual(wanted);
        const [path = ""] = told.filter((one) => existsSync(one));
        expect(variablesIn(path)).toMatchObject({
          GANETI_HOOKS_PHASE: "post",
          GANETI_OP_CODE: "OP_INSTANCE_REBOOT",
          GANETI_INSTANCE_NAME: instance,
          GANETI_INSTANCE_PRIMARY: primary,
          GANETI_CLUSTER: bench.cluster.name,
        });
      } finally {
        await server.stop();
      }
    }));
});
