import { aNode, anInstance } from "@ganeti-ts/testkit";
import { describe, expect, test } from "vitest";
import { vectorCluster } from "../../test/vectors.js";
import { loadCluster } from "../model/load.js";
import type { BalanceStep } from "./balance.js";
import type { BalanceMove } from "./balance-move.js";
import { jobSetLines, jobSets } from "./job-sets.js";
import { moveCommands, moveJob, moveText } from "./move-steps.js";

const nodes = ["a", "b", "c", "d", "e"].map((name) => aNode({ name: `${name}.example.com` }));
const cluster = loadCluster(
  vectorCluster(nodes, [
    anInstance({ name: "runs.example.com", primary: 0, secondary: 1 }),
    anInstance({ name: "down.example.com", primary: 0, secondary: 1, status: "ADMIN_down" }),
    anInstance({ name: "ext.example.com", primary: 0, diskTemplate: "ext" }),
    anInstance({ name: "planned.example.com", primary: 0, secondary: 1, forthcoming: true }),
  ]),
);

const placement = (primary: number, secondary: number) => ({
  primary,
  secondary,
  locationScore: 0,
});

/** Touches these two nodes alone. */
const flip = (primary: number, secondary: number): BalanceStep => ({
  index: 0,
  move: { kind: "failover" },
  from: placement(primary, secondary),
  to: placement(secondary, primary),
  scoreBefore: 2,
  score: 1,
});

const step = (index: number, move: BalanceMove): BalanceStep => ({ ...flip(0, 1), index, move });

describe("job sets", () => {
  test("are formed from the last step on", () => {
    const steps = [flip(1, 2), flip(3, 4), flip(1, 0)];
    expect(jobSets(cluster, steps)).toEqual([[steps[0]], [steps[1], steps[2]]]);
  });

  test("never hold two steps with a node in common", () => {
    const steps = [flip(0, 1), flip(2, 3), flip(3, 4), flip(0, 1)];
    expect(jobSets(cluster, steps)).toEqual([
      [steps[0], steps[1]],
      [steps[2], steps[3]],
    ]);
    expect(jobSets(cluster, [])).toEqual([]);
  });

  test("become lines of a script that checks before every job", () => {
    const sets = jobSets(cluster, [flip(0, 1), flip(2, 3), flip(0, 1)]);
    expect(jobSetLines(cluster, sets, () => "name")).toEqual([
      "",
      "echo jobset 1, 1 jobs",
      "  echo job 1/1",
      "  check",
      "  gnt-instance migrate -f name",
      "",
      "echo jobset 2, 2 jobs",
      "  echo job 2/1",
      "  check",
      "  gnt-instance migrate -f name",
      "  echo job 2/2",
      "  check",
      "  gnt-instance migrate -f name",
    ]);
  });
});

describe("a move in words", () => {
  test.each<{ move: BalanceMove; index: number; text: string; commands: string[] }>([
    { index: 1, move: { kind: "failover" }, text: "f", commands: ["failover -f i"] },
    {
      index: 2,
      move: { kind: "failover-to-any", target: 3 },
      text: "fa:d",
      commands: ["migrate -f -n d i"],
    },
    {
      index: 0,
      move: { kind: "replace-secondary", target: 2 },
      text: "r:c",
      commands: ["replace-disks -n c i"],
    },
    {
      index: 0,
      move: { kind: "replace-and-failover", target: 2 },
      text: "r:c f",
      commands: ["replace-disks -n c i", "migrate -f i"],
    },
    {
      index: 0,
      move: { kind: "replace-primary", target: 2 },
      text: "f r:c f",
      commands: ["migrate -f i", "replace-disks -n c i", "migrate -f i"],
    },
    {
      index: 0,
      move: { kind: "failover-and-replace", target: 2 },
      text: "f r:c",
      commands: ["migrate -f i", "replace-disks -n c i"],
    },
    {
      index: 3,
      move: { kind: "change-both", primary: 2, secondary: 3 },
      text: "r:c f r:d",
      commands: ["replace-disks -n c i", "migrate -f i", "replace-disks -n d i"],
    },
  ])("$text has its commands", ({ index, move, text, commands }) => {
    expect(moveText(cluster, step(index, move))).toBe(text);
    const expected = commands.map((command) => `gnt-instance ${command}`);
    expect(moveCommands(cluster, step(index, move), "i")).toEqual(expected);
  });

  test("reservations fail over where others migrate; jobs use full names", () => {
    const job = moveJob(cluster, step(3, { kind: "replace-and-failover", target: 2 }));
    expect(job).toMatchObject([
      { OP_ID: "OP_INSTANCE_REPLACE_DISKS", remote_node: "c.example.com" },
      { OP_ID: "OP_INSTANCE_FAILOVER", instance_name: "planned.example.com" },
    ]);
    const down = moveJob(cluster, step(1, { kind: "failover" }));
    expect(down).toMatchObject([{ OP_ID: "OP_INSTANCE_MIGRATE", allow_failover: true }]);
    const away = moveJob(cluster, step(2, { kind: "failover-to-any", target: 3 }));
    expect(away).toMatchObject([{ OP_ID: "OP_INSTANCE_MIGRATE", target_node: "d.example.com" }]);
  });
});
