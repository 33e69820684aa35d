import { describe, expect, test } from "vitest";
import type { GroupView, WatchedInstance } from "./group-view.js";
import { attemptsMax, judgeInstances, judgeOfflineDisks, judgeReboots } from "./judgement.js";
import { noNotes, readNotes, type WatcherNotes, writeNotes } from "./notes.js";

const anInstance = (name: string, more: Partial<WatchedInstance> = {}): WatchedInstance => ({
  name,
  status: "running",
  adminState: "up",
  disksActive: true,
  secondaries: [],
  hasOfflineSecondary: false,
  isExternal: false,
  ...more,
});
const aView = (...instances: WatchedInstance[]): GroupView => ({
  ...{ instances, unusual: instances, isExternal: false, nodes: [], split: [] },
});
const down = aView(anInstance("web", { status: "ERROR_down" }));
const noLocks = () => false;
const hour = 3600;

const rounds = (
  view: GroupView,
  count: number,
  notes: WatcherNotes = noNotes,
  everySeconds = 300,
) => {
  const kinds: string[] = [];
  let current = notes;
  for (let at = 0; at < count; at++) {
    const judged = judgeInstances(view, current, noLocks, 1000 + at * everySeconds);
    kinds.push(...judged.verdicts.map(({ kind }) => kind));
    current = judged.notes;
  }
  return { kinds, notes: current };
};

describe("instances", () => {
  test.each([
    { why: "running", more: {}, kinds: [] },
    { why: "down against its wish", more: { status: "ERROR_down" }, kinds: ["restart"] },
    { why: "down as wished", more: { status: "ADMIN_down", adminState: "down" }, kinds: [] },
    { why: "on a dead node", more: { status: "ERROR_nodedown" }, kinds: [] },
    { why: "on a node marked offline", more: { status: "ERROR_nodeoffline" }, kinds: [] },
    { why: "on the wrong node", more: { status: "ERROR_wrongnode" }, kinds: [] },
    { why: "up against its wish", more: { status: "ERROR_up", adminState: "down" }, kinds: [] },
    { why: "shut down by its user", more: { status: "USER_down" }, kinds: ["clean up"] },
    {
      why: "shut down by its user and cleaned up",
      more: { status: "USER_down", adminState: "down" },
      kinds: [],
    },
  ] as const)("an instance that is $why gives $kinds", ({ more, kinds }) => {
    expect(rounds(aView(anInstance("web", more)), 1).kinds).toEqual(kinds);
  });

  test("an instance that keeps dying is restarted five times, given up once, and left alone then", () => {
    const { kinds, notes } = rounds(down, attemptsMax + 3);
    expect(kinds).toEqual([
      ...Array.from({ length: attemptsMax }, () => "restart"),
      ...["give up", "exhausted", "exhausted"],
    ]);
    expect(notes.instance.web?.restart_count).toBe(attemptsMax + 1);
  });

  test("cleanups that fail have the same limit", () => {
    const { kinds } = rounds(aView(anInstance("web", { status: "USER_down" })), attemptsMax + 2);
    expect(kinds.slice(attemptsMax - 1)).toEqual(["clean up", "give up", "exhausted"]);
  });

  test("eight hours after the last attempt it is tried again", () => {
    const { notes } = rounds(down, attemptsMax + 1);
    const last = notes.instance.web?.restart_when ?? 0;
    const at = (seconds: number) => judgeInstances(down, notes, noLocks, seconds).verdicts[0]?.kind;
    expect(at(last + 8 * hour)).toBe("exhausted");
    expect(at(last + 8 * hour + 1)).toBe("restart");
  });

  test("an instance that runs again has its attempts forgotten", () => {
    const { notes } = rounds(down, 3);
    const judged = judgeInstances(aView(anInstance("web")), notes, noLocks, 2000);
    expect(judged.verdicts).toEqual([{ kind: "recovered", name: "web", attempt: 3 }]);
    expect(judged.notes).toEqual(noNotes);
  });

  test("an instance whose node went away is not called recovered", () => {
    const { notes } = rounds(down, 3);
    const away = aView(anInstance("web", { status: "ERROR_nodedown" }));
    expect(judgeInstances(away, notes, noLocks, 2000)).toEqual({ verdicts: [], notes: noNotes });
  });

  test("an instance that a job works on is left alone, and no attempt is counted", () => {
    const judged = judgeInstances(down, noNotes, (name) => name === "web", 1000);
    expect(judged).toEqual({
      verdicts: [{ kind: "locked", name: "web", attempt: 0 }],
      notes: noNotes,
    });
  });

  test("notes of removed instances and nodes are removed", () => {
    const notes: WatcherNotes = {
      node: { gone: { bootid: "1" }, there: { bootid: "2" } },
      instance: { gone: { restart_count: 1, restart_when: 1000 } },
    };
    const view = { ...aView(), nodes: [{ name: "there", bootId: "2" }] };
    expect(judgeInstances(view, notes, noLocks, 1000).notes).toEqual({
      node: { there: { bootid: "2" } },
      instance: {},
    });
  });
});

describe("reboots", () => {
  const view: GroupView = {
    ...aView(
      anInstance("a", { secondaries: ["n1"] }),
      anInstance("b", { secondaries: ["n2"] }),
      anInstance("c", { secondaries: ["n3"] }),
      anInstance("d", { secondaries: ["n1"], disksActive: false }),
      anInstance("e", { secondaries: ["n1"] }),
    ),
    nodes: [
      { name: "n1", bootId: "new" },
      { name: "n2", bootId: "same" },
      { name: "n3", bootId: undefined },
    ],
  };
  const notes: WatcherNotes = {
    instance: {},
    node: { n1: { bootid: "old" }, n2: { bootid: "same" }, n3: { bootid: "old" } },
  };

  test("disks of instances with a copy on a rebooted node are activated", () => {
    const judged = judgeReboots(view, notes, new Set(["e"]));
    expect(judged.activations).toEqual(["a"]);
    expect(judged.notes.node).toEqual({ ...notes.node, n1: { bootid: "new" } });
    expect(judgeReboots(view, judged.notes, new Set()).activations).toEqual([]);
  });

  test("a node that was never seen does not count as booted; its boot is noted", () => {
    const judged = judgeReboots(view, noNotes, new Set());
    expect(judged.activations).toEqual([]);
    expect(judged.notes.node).toEqual({ n1: { bootid: "new" }, n2: { bootid: "same" } });
  });
});

test("disks that are down are activated unless nodes of their instance are away", () => {
  const view = aView(
    anInstance("a"),
    anInstance("b", { status: "ERROR_nodedown" }),
    anInstance("c", { hasOfflineSecondary: true }),
  );
  expect(judgeOfflineDisks(view, ["a", "b", "c", "gone"])).toEqual({
    activations: ["a"],
    skipped: ["b", "c", "gone"],
  });
});

describe("notes", () => {
  test("are read and written in the format of Ganeti's file", () => {
    const text =
      '{"node":{"n1":{"bootid":"x"}},"instance":{"web":{"restart_count":2,"restart_when":1795349226.5}}}';
    const notes = readNotes(text);
    expect(notes?.instance.web).toEqual({ restart_count: 2, restart_when: 1795349226.5 });
    expect(JSON.parse(writeNotes(notes as WatcherNotes))).toEqual(JSON.parse(text));
  });

  test.each(["", "{", "[]", '{"node":{},"instance":{"web":{"restart_count":"many"}}}'])(
    "that are damaged are refused: %j",
    (text) => {
      expect(readNotes(text)).toBeUndefined();
    },
  );

  test("are empty if there is no file", () => {
    expect(readNotes(undefined)).toEqual(noNotes);
  });
});
