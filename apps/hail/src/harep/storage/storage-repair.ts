/** The repair of an instance that has lost copies of its disks, by rules. */
import { failover, newSecondary, type Repair, reinstall } from "../detect.js";
import type { DiskCopy, InstanceStorage } from "./instance-storage.js";

export type StorageRepair =
  | { readonly kind: "repair"; readonly repair: Repair }
  /** Nothing can be done now. */
  | { readonly kind: "wait"; readonly why: string };

/**
 * Undefined if no copy is lost or failing. `room` (MiB by node) is reduced by what the repair takes.
 *
 * | lost | room on its node | repair | type |
 * |---|---|---|---|
 * | the secondary's or the primary's copies | yes | replace the disks there | fix-storage |
 * | the secondary's copies | no | new secondary by hail: the node is evacuated | fix-storage |
 * | the primary's copies | no | fail over, then new secondary by hail | failover |
 * | copies on one node, and the other one is offline | | none: it may have the only data | |
 * | copies on both nodes, or the only copy | | recreate the disks where hail says, reinstall | reinstall |
 *
 * Copies that are failing count as lost ones, but a running instance leaves its primary by live migration (type
 * migrate): a mirror without local storage cannot be disconnected while it is in use. The only copy stays.
 */
export function storageRepair(
  storage: InstanceStorage,
  room: Map<string, number>,
): StorageRepair | undefined {
  const { name, isRunning, copies } = storage;
  const lost = copies.filter(({ state }) => state === "lost");
  const [first] = lost;
  if (first === undefined) return leavingRepair(storage, room);
  const { node, role } = first;
  const what = `${disksText(lost)} on its ${role} ${node}`;
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
  const away = { type: "failover", opcode: failover(name) } as const;
  return { kind: "repair", repair: newCopies(name, has, lost, { room, away }) };
}

/** The repair of a mirrored instance that has to leave failing storage with its copies on one node. */
function leavingRepair(
  { name, isRunning, copies }: InstanceStorage,
  room: Map<string, number>,
): StorageRepair | undefined {
  const first = copies.find(({ state }) => state === "failing");
  if (first === undefined) return undefined;
  const { node, role } = first;
  const leaving = copies.filter((copy) => copy.node === node && copy.state === "failing");
  const others = copies.filter((copy) => copy.node !== node);
  if (others.length === 0 || others.some(({ state }) => state === "unknown")) return undefined;
  const has = `${name} has its copy of ${disksText(leaving)} on failing storage of its ${role} ${node}`;
  const away = isRunning
    ? ({ type: "migrate", opcode: migration(name) } as const)
    : ({ type: "failover", opcode: failover(name) } as const);
  return { kind: "repair", repair: newCopies(name, has, leaving, { room, away }) };
}

interface Ways {
  readonly room: Map<string, number>;
  /** How the instance leaves its primary. */
  readonly away: { readonly type: Repair["type"]; readonly opcode: Repair["opcodes"][number] };
}

/** New copies in place of `bad` ones, which are all on one node: there if it has room, else on another node. */
function newCopies(
  name: string,
  has: string,
  bad: readonly DiskCopy[],
  { room, away }: Ways,
): Repair {
  const { node, role } = bad[0] as DiskCopy;
  if (takesRoom(bad, node, room)) {
    const mode = role === "primary" ? "replace_on_primary" : "replace_on_secondary";
    const disks = indicesOf(bad);
    const replace = { ...newSecondary(name), mode, disks, iallocator: null };
    const why = `${has}, which has room: the copy is made again there`;
    return { type: "fix-storage", opcodes: [replace], why };
  }
  if (role === "secondary") {
    const why = `${has}, which has no room left: it gets another secondary`;
    return { type: "fix-storage", opcodes: [newSecondary(name)], why };
  }
  const why = `${has}, which has no room left: it moves to its secondary and gets another one`;
  return { type: away.type, opcodes: [away.opcode, newSecondary(name)], why };
}

/** Reserves room for new copies of the disks on the node; false if there is not enough. */
function takesRoom(lost: readonly DiskCopy[], node: string, room: Map<string, number>): boolean {
  const needed = lost.reduce((sum, { sizeMib }) => sum + sizeMib, 0);
  const free = room.get(node) ?? 0;
  if (free < needed) return false;
  room.set(node, free - needed);
  return true;
}

const indicesOf = (copies: readonly DiskCopy[]): readonly number[] => [
  ...new Set(copies.map(({ disk }) => disk)),
];

const disksText = (copies: readonly DiskCopy[]): string => {
  const disks = indicesOf(copies);
  return `${disks.length === 1 ? "disk" : "disks"} ${disks.join(", ")}`;
};

/** To the secondary. */
const migration = (instance: string) => ({
  OP_ID: "OP_INSTANCE_MIGRATE",
  ...{ instance_name: instance, allow_failover: false, ignore_ipolicy: false, cleanup: false },
});

/** As for lost nodes; disks of a running instance are in use until it is stopped. */
const madeNew = (instance: string, isRunning: boolean) => {
  const change = (OP_ID: string) => ({ OP_ID, instance_name: instance });
  if (!isRunning) return reinstall(instance);
  return [change("OP_INSTANCE_SHUTDOWN"), ...reinstall(instance), change("OP_INSTANCE_STARTUP")];
};
