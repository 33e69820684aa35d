// hbal prints, writes and saves what Ganeti's does; and what only ours has.

import { loadCluster, writeClusterText } from "@ganeti-ts/htools";
import { HbalReport } from "@ganeti-ts/protocol";
import { aGroup, aNode, anInstance } from "@ganeti-ts/testkit";
import { describe, expect, test } from "vitest";
import { hbal } from "../src/hbal/program.js";
import type { Ports } from "../src/ports.js";
import { describeAsOriginal } from "./as-original.js";
import { runIn } from "./fake-ports.js";

const group = ["-G", "group-a"];
const everything = ["-C", "-S", "state", "-p", "--print-instances"];

describeAsOriginal(
  hbal,
  [
    ["-t", "cluster"],
    [...group, "-t", "cluster"],
    [...group, "-t", "cluster", ...everything],
    [...group, "-t", "cluster", "-Ccommands", "-v", "-v", "-v"],
    [...group, "-vvvvt", "cluster", "-l", "2"],
    [...group, "-E", "-O", "node1", "-t", "cluster"],
    [...group, "-E", "--restricted-migration", "-O", "node0", "-t", "cluster", "-C"],
    [...group, "--no-disk-moves", "-t", "cluster"],
    [...group, "--no-instance-moves", "--ignore-soft-errors", "-t", "cluster"],
    [...group, "-g", "0.5", "--min-gain-limit", "100", "-e", "0.3", "-t", "cluster"],
    [
      ...group,
      "-U",
      "loads",
      "--exclusion-tags=service",
      "-t",
      "cluster",
      "--first-job-group",
      "-C",
    ],
    [...group, "--max-cpu=0.5", "--min-disk=0.3", "--ignore-dynu", "-t", "cluster"],
    [...group, "--exclude-instances=inst0", "-q", "-t", "cluster"],
    [...group, "-X", "-t", "cluster"],
    ["-G", "nowhere", "-t", "cluster"],
    ["--priority=urgent", "-t", "cluster"],
  ],
  { recorded: 3, fresh: 1 },
  { loads: "inst1 0.5 2 3 4\ninst2 2 2 2 2\n" },
);

describe("options that Ganeti's hbal lacks", () => {
  const nodes = ["n0", "n1", "n2", "n3"].map((name) => aNode({ name }));
  const instances = ["real1", "real2", "real3", "planned"].map((name) =>
    anInstance({ name, primary: 0, secondary: 1, forthcoming: name === "planned" }),
  );
  const cluster = writeClusterText(
    loadCluster({
      groups: [aGroup()],
      nodes,
      instances,
      tags: [],
      policy: undefined,
      hypervisor: undefined,
    }),
  );
  const run = (...argv: string[]) => runIn(hbal, { files: { cluster } }, "-t", "cluster", ...argv);

  test("--json prints one document with the figures of the text", async () => {
    const text = await run();
    const { stdout, exitCode } = await run("--json", "-C", "-X");
    const { group: balanced } = HbalReport.parse(JSON.parse(stdout));
    expect(exitCode).toBe(1);
    expect(balanced?.steps.length).toBeGreaterThan(1);
    const lines = text.stdout.split("\n").filter((line) => /^ +\d+\. /.test(line));
    expect(lines.map((line) => line.replace(/^.* a=/, ""))).toEqual(
      balanced?.steps.map(({ action }) => action),
    );
    expect(balanced?.jobSets.flat()).toEqual([...(balanced?.steps.keys() ?? [])]);
    for (const { terms } of balanced?.steps ?? []) {
      const sum = terms.reduce(
        (total, term) => total + Number(term.after) - Number(term.before),
        0,
      );
      expect(sum).toBeLessThan(0);
    }
  });

  test("--json prints a document for a cluster without instances", async () => {
    const empty = cluster.replace(/^(real|planned).*\n/gm, "");
    const { stdout } = await runIn(hbal, { files: { cluster: empty } }, "-t", "cluster", "--json");
    expect(HbalReport.parse(JSON.parse(stdout)).group).toBeNull();
  });

  test("--explain shows the terms that a step changes, and they sum up to its gain", async () => {
    const { stdout } = await run("--explain", "-l", "1");
    const changes = [...stdout.matchAll(/^ {6,}\w+ +\S+ +-> +\S+ +(\S+)$/gm)].map(([, change]) =>
      Number(change),
    );
    const [, before, after] = /improved from (\S+) to (\S+)$/m.exec(stdout) ?? [];
    expect(changes.length).toBeGreaterThan(3);
    expect(changes).toEqual(changes.toSorted((a, b) => a - b));
    const gain = changes.reduce((sum, change) => sum + change, 0);
    expect(gain).toBeCloseTo(Number(after) - Number(before), 6);
  });

  test("--prefer-forthcoming moves the reservation before real instances", async () => {
    const usual = await run("-l", "1");
    expect(usual.stdout).toMatch(/^ +1\. real1 /m);
    const preferred = await run("-l", "1", "--prefer-forthcoming");
    expect(preferred.stdout).toMatch(/^ +1\. planned .* a=r:n2 f r:n3$/m);
  });

  test("--html writes a page with the nodes before and after, and the steps", async () => {
    const { written, stderr } = await run("--html", "page");
    expect(stderr).toBe("The page has been written to file 'page'\n");
    expect(written.page).toContain("Score along the steps");
    expect(written.page).toContain("Balancing group");
  });

  /** A run whose search is interrupted at this turn of the event loop; there is one after each of its parts. */
  async function interruptedAt(turnWanted: number, ...argv: string[]) {
    const handlers: (() => void)[] = [];
    let [time, turn] = [0, 0];
    const change: Partial<Ports> = {
      now: () => {
        time += 1000;
        return time;
      },
      sleep: async () => {
        turn++;
        if (turn === turnWanted) for (const handle of handlers) handle();
      },
      onSignal: (_signal, handle) => {
        handlers.push(handle);
        return () => handlers.splice(handlers.indexOf(handle) >>> 0, 1);
      },
    };
    const outcome = await runIn(hbal, { files: { cluster }, change }, "-t", "cluster", ...argv);
    return { ...outcome, handlers };
  }

  test("SIGINT ends the search: the steps found until then are the solution", async () => {
    const whole = await interruptedAt(-1, "-C");
    const [first, second] = whole.stdout.match(/^ +\d+\. .*\n/gm) ?? [];
    expect(second).toBeDefined();
    // (turns: the first search, the first step, the second search)
    const { stdout, stderr, exitCode, handlers } = await interruptedAt(3, "-C");
    expect(stdout).toContain(`${first}Cluster score improved from`);
    expect(stdout).toMatch(/^Solution length=1$/m);
    expect(stdout.match(/^ {2}echo job |^ +gnt-instance /gm)?.length).toBeGreaterThan(0);
    expect(stderr).toBe("Interrupted: the solution has the steps found until then.\n");
    expect(exitCode).toBe(130);
    expect([handlers, whole.handlers, whole.exitCode]).toEqual([[], [], 0]);
  });

  test("an interrupted search submits no jobs", async () => {
    const { stderr, exitCode } = await interruptedAt(3, "-X");
    expect(stderr).toMatch(/ No job was submitted\.\n$/);
    expect(exitCode).toBe(130);
    expect(
      (await interruptedAt(-1, "-X")).exitCode,
      "without an interrupt, -X needs a master",
    ).toBe(1);
  });
});
