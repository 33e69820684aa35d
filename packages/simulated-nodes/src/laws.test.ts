import type { DiskOnNode, NodeCallArguments, NodeCallName } from "@ganeti-ts/node-calls";
import { aDrbdDisk, anInstance, aPlainDisk } from "@ganeti-ts/node-calls/conformance";
import { Dice } from "@ganeti-ts/testkit/simulation";
import fc from "fast-check";
import { expect, test } from "vitest";
import { creation, type NodesUnderTest, nodesUnderTest } from "../test/nodes-under-test.js";
import { noDurations } from "./durations.js";
import type { HostState } from "./node-state.js";
import { nodeStatesInMemory } from "./node-states.js";

type Call = { [Name in NodeCallName]: [node: string, name: Name, args: NodeCallArguments<Name>] };
type AnyCall = Call[NodeCallName];

/** Random operations on disks and instances of nodes A, B and C; most are valid. */
function throwCall(dice: Dice): AnyCall {
  const node = dice.pick(["A", "B", "C"]);
  const size = dice.pick([500, 3000]);
  const disk: DiskOnNode = dice.chance(0.5)
    ? aPlainDisk(dice.pick(["one", "two"]), size)
    : aDrbdDisk(size);
  const instance = anInstance({ name: dice.pick(["web", "db"]) });
  const calls: readonly (() => AnyCall)[] = [
    () => [node, "blockdev_create", creation(disk, node === "A")],
    () => [node, "blockdev_create", creation(disk.children?.[0] ?? disk, node === "A")],
    () => [node, "blockdev_create", creation(disk.children?.[1] ?? disk, node === "A")],
    () => [node, "blockdev_remove", { disk }],
    () => [node, "blockdev_assemble", { disk, instance, asPrimary: dice.chance(0.5), index: 0 }],
    () => [node, "blockdev_shutdown", { disk }],
    () => [node, "drbd_disconnect_net", { disks: [disk] }],
    () => [node, "drbd_attach_net", { disks: [disk], multimaster: false }],
    () => [
      node,
      "blockdev_rename",
      { renames: [{ disk: aPlainDisk("one", size), logicalId: ["xenvg", "two"] }] },
    ],
    () => [node, "instance_start", { instance, startupPaused: false }],
    () => [node, "instance_shutdown", { instance, timeoutSeconds: 1 }],
    () => [node, "instance_balloon_memory", { instance, memoryMib: dice.between(1, 8) * 512 }],
    () => [node, "file_storage_dir_create", { directory: "/srv/x" }],
    () => [node, "file_storage_dir_remove", { directory: "/srv/x" }],
  ];
  return dice.pick(calls)();
}

const statesOf = ({ nodes }: NodesUnderTest): (HostState | undefined)[] =>
  ["A", "B", "C"].map((node) => {
    const state = nodes.stateOf(node);
    return state && (JSON.parse(JSON.stringify(state)) as HostState);
  });

/** Checks that no resource is allocated twice and none is lost. */
function checkAccounts({ nodes }: NodesUnderTest): void {
  for (const node of ["A", "B", "C"]) {
    const state = nodes.stateOf(node) as HostState;
    for (const { physicalVolumes, volumes } of Object.values(state.volumeGroups)) {
      const used = new Map<string, number>();
      for (const { pieces, sizeMib } of Object.values(volumes)) {
        expect(pieces.reduce((sum, piece) => sum + piece.sizeMib, 0)).toBe(sizeMib);
        for (const { on, sizeMib: mib } of pieces) used.set(on, (used.get(on) ?? 0) + mib);
      }
      for (const [name, mib] of used) {
        expect(mib).toBeLessThanOrEqual(physicalVolumes[name]?.sizeMib ?? 0);
      }
    }
    const running = Object.values(state.instances);
    const memory = running.reduce((sum, { memoryMib }) => sum + memoryMib, state.memoryNodeMib);
    expect(memory).toBeLessThanOrEqual(state.memoryTotalMib);
  }
}

test("a call repeated because its answer was lost changes nothing further", async () => {
  const seen = { done: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(fc.integer(), async (seed) => {
      const dice = new Dice(seed);
      const under = await nodesUnderTest({ durations: { ...noDurations, syncSpeed: 100 }, seed });
      for (let step = 0; step < 40; step++) {
        const [node, name, args] = throwCall(dice);
        const lose = dice.chance(0.3);
        if (lose) under.nodes.fail({ kind: "lost after", times: 1 });
        const first = await under.answer(node, name, args as never);
        const state = statesOf(under);
        if (lose) expect(first.ok).toBe(false);
        const second = await under.answer(node, name, args as never);
        expect(statesOf(under)).toEqual(state);
        if (!lose) expect(second.ok).toBe(first.ok);
        seen[second.ok ? "done" : "refused"]++;
        checkAccounts(under);
        await under.clock.pass(dice.pick([0, 0, 3000]));
      }
    }),
    { numRuns: 40 },
  );
  expect(seen.done).toBeGreaterThan(200);
  expect(seen.refused).toBeGreaterThan(50);
});

test("another process that simulates the same nodes continues from the saved state", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), async (seed) => {
      const dice = new Dice(seed);
      const calls = Array.from({ length: 40 }, () => throwCall(dice));
      const restartAt = dice.between(0, 39);
      const durations = { ...noDurations, syncSpeed: 100 };
      const states = nodeStatesInMemory();
      const straight = await nodesUnderTest({ durations });
      let restarted = await nodesUnderTest({ durations, states });
      for (const [at, [node, name, args]] of calls.entries()) {
        if (at === restartAt) {
          const { clock } = restarted;
          restarted = await nodesUnderTest({ durations, states, clock });
          restarted = { ...restarted, clock };
        }
        const pauses = at % 5 === 0 ? 2000 : 0;
        await straight.clock.pass(pauses);
        await restarted.clock.pass(pauses);
        expect(await restarted.answer(node, name, args as never)).toEqual(
          await straight.answer(node, name, args as never),
        );
      }
      expect(statesOf(restarted)).toEqual(statesOf(straight));
    }),
    { numRuns: 40 },
  );
});

test("during a migration both sides of a mirror are usable if both are in dual-primary mode", async () => {
  const under = await nodesUnderTest();
  const disk = aDrbdDisk();
  for (const node of ["B", "A"]) {
    for (const child of disk.children ?? []) {
      await under.ask(node, "blockdev_create", creation(child, node === "A"));
    }
    await under.ask(node, "blockdev_create", creation(disk, node === "A"));
  }
  const open = { disks: [disk], owner: "web", exclusive: false };
  const attach = (node: string, multimaster: boolean) =>
    under.ask(node, "drbd_attach_net", { disks: [disk], multimaster });
  await attach("B", true);
  expect((await under.answer("B", "blockdev_open", open)).ok).toBe(false);
  await attach("A", true);
  await under.ask("B", "blockdev_open", open);
  await under.ask("A", "blockdev_close", { disks: [disk], owner: "web" });
  for (const node of ["A", "B"]) {
    await under.ask(node, "drbd_disconnect_net", { disks: [disk] });
    await attach(node, false);
  }
  expect(await under.ask("B", "blockdev_find", { disk })).toMatchObject({ degraded: false });
});
