/** The repair of an instance that has lost copies of its disks, by rules. */
import { newSecondary, type Repair, reinstall } from "../detect.js";
import type { DiskCopy, InstanceStorage } from "./instance-storage.js";

export type StorageRepair =
  | { readonly kind: "repair"; readonly repair: Repair }
  /** Nothing can be done now. */
  | { readonly kind: "wait"; readonly why: string };

/**
 * Undefined if no copy is lost. `room` (MiB by node) is reduced by what the repair takes.
 *
 * | lost | room on its node | repair | type |
 * |---|---|---|---|
 * | the secondary's copies | yes | replace the disks there | fix-storage |
 * | | no | new secondary by hail: the node is evacuated | fix-storage |
 * | the primary's copies | yes | replace the disks there | fix-storage |
 * | | no, it runs | migrate, then new secondary by hail | migrate |
 * | | no, it does not run | fail over, then new secondary by hail | failover |
 * | on one node, and the other node is offline | | none: it may have the only data | |
 * | copies on both nodes, or the only copy | | recreate the disks where hail says, reinstall | reinstall |
 */
export function storageRepair(
  { name, isRunning, copies }: InstanceStorage,
  room: Map<string, number>,
): StorageRepair | undefined {
  const lost = copies.filter(({ state }) => state === "lost");
  const [first] = lost;
  if (first === undefined) return undefined;
  const { node, role } = first;
  const disks = [...new Set(lost.map(({ disk }) => disk))];
  const what = `${disksText(disks)} on its ${role} ${node}`;
  const others = copies.filter((copy) => copy.node !== node);
  if (others.length === 0 || lost.some((copy) => copy.node !== node)) {
    const extent = others.length === 0 ? `the only copy of ${what}` : "copies on both of its nodes";
    const why = `${name} has lost ${extent}: its disks are made new, and its system is installed again`;
    return {
      kind: "repair",
      repair: { type: "reinstall", opcodes: madeNew(name, isRunning), why },
    };
  }
  const has = `${name} has lost its copy of ${what}`;
  const unknown = others.find(({ state }) => state === "unknown");
  if (unknown !== undefined) {
    return { kind: "wait", why: `${has}, and ${unknown.node} with the other copy does not answer` };
  }
  if (takesRoom(lost, node, room)) {
    const mode = role === "primary" ? "replace_on_primary" : "replace_on_secondary";
    const replace = { ...newSecondary(name), mode, disks, iallocator: null };
    const why = `${has}, which has room: the copy is made again there`;
    return { kind: "repair", repair: { type: "fix-storage", opcodes: [replace], why } };
  }
  if (role === "secondary") {
    const why = `${has}, which has no room left: it gets another secondary`;
    const opcodes = [newSecondary(name)];
    return { kind: "repair", repair: { type: "fix-storage", opcodes, why } };
  }
  const why = `${has}, which has no room left: it moves to its secondary and gets another one`;
  const type = isRunning ? "migrate" : "failover";
  return { kind: "repair", repair: { type, opcodes: [moved(name), newSecondary(name)], why } };
}

/** Reserves room for new copies of the disks on the node; false if there is not enough. */
function takesRoom(lost: readonly DiskCopy[], node: string, room: Map<string, number>): boolean {
  const needed = lost.reduce((sum, { sizeMib }) => sum + sizeMib, 0);
  const free = room.get(node) ?? 0;
  if (free < needed) return false;
  room.set(node, free - needed);
  return true;
}

const disksText = (disks: readonly number[]): string =>
  `${disks.length === 1 ? "disk" : "disks"} ${disks.join(", ")}`;

/** To the secondary; an instance that does not run fails over. */
const moved = (instance: string) => ({
  OP_ID: "OP_INSTANCE_MIGRATE",
  ...{ instance_name: instance, allow_failover: true, ignore_ipolicy: false, cleanup: false },
});

/** As for lost nodes; disks of a running instance are in use until it is stopped. */
const madeNew = (instance: string, isRunning: boolean) => {
  const change = (OP_ID: string) => ({ OP_ID, instance_name: instance });
  if (!isRunning) return reinstall(instance);
  return [change("OP_INSTANCE_SHUTDOWN"), ...reinstall(instance), change("OP_INSTANCE_STARTUP")];
};
