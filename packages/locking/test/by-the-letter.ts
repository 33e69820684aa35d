/** The rules of granting once more, word for word on rows; shares nothing with the table. */
import type { LockMode, LockRows, WaitRow } from "../src/index.js";

interface Wish {
  readonly lock: string;
  readonly mode: LockMode;
}

const group = (lock: string) => lock.replace(/\/.*/, "/[lockset]");
const related = (a: string, b: string) => a === b || group(a) === b || a === group(b);
const clash = (a: Wish, b: Wish) =>
  related(a.lock, b.lock) && (a.mode === "exclusive" || b.mode === "exclusive");

export const wishesOf = (wait: WaitRow): Wish[] => {
  const wishes = wait.requests.flatMap(({ lock, mode }) =>
    mode === "release" ? [] : [{ lock, mode }],
  );
  return wait.definite ? wishes.slice(0, 1) : wishes;
};
const queued = (wait: WaitRow) => wait.definite || wishesOf(wait).length === 1;
const before = (a: WaitRow, b: WaitRow) =>
  a.priority < b.priority || (a.priority === b.priority && a.place < b.place);

export const holdersInTheWay = (
  { holds }: LockRows,
  id: unknown,
  wishes: readonly Wish[],
): unknown[] => [
  ...new Set(
    holds
      .filter((hold) => hold.owner.id !== id && wishes.some((wish) => clash(wish, hold)))
      .map(({ owner }) => owner.id),
  ),
];

const inFront = ({ waits }: LockRows, wait: WaitRow, wishes: readonly Wish[]): WaitRow[] =>
  waits.filter(
    (other) =>
      other.owner.id !== wait.owner.id &&
      queued(other) &&
      before(other, wait) &&
      wishes.some((wish) => clash(wish, wishesOf(other)[0] as Wish)),
  );

/** All owners that these owners wait for, directly or indirectly. */
function waitedFor(rows: LockRows, ids: readonly unknown[]): Set<unknown> {
  const found = new Set<unknown>();
  for (const open = [...ids]; open.length > 0; ) {
    const id = open.pop();
    const wait = rows.waits.find(({ owner }) => owner.id === id);
    if (wait === undefined) continue;
    const wishes = wishesOf(wait);
    const next = [
      ...holdersInTheWay(rows, id, wishes),
      ...inFront(rows, wait, wishes).map(({ owner }) => owner.id),
    ];
    for (const one of next) if (!found.has(one) && found.add(one)) open.push(one);
  }
  return found;
}

/** Owners of the queued entries that the waiting request must not pass. */
export function barriersOf(rows: LockRows, wait: WaitRow): unknown[] {
  const { id } = wait.owner;
  const covered = ({ lock, mode }: Wish) =>
    rows.holds.some(
      (hold) =>
        hold.owner.id === id &&
        (hold.lock === lock || hold.lock === group(lock)) &&
        (hold.mode === "exclusive" || mode === "shared"),
    );
  const bound = wishesOf(wait).filter((wish) => !covered(wish));
  const front = inFront(rows, wait, bound);
  return front
    .filter((other) => {
      const entry = front.filter(({ place }) => place === other.place).map(({ owner }) => owner.id);
      return !waitedFor(rows, entry).has(id);
    })
    .map(({ owner }) => owner.id);
}

/** Pairs of holders that must not be. */
export function forbiddenPairs({ holds }: LockRows) {
  return holds.flatMap((one, at) =>
    holds.slice(at + 1).filter((other) => other.owner.id !== one.owner.id && clash(one, other)),
  );
}
