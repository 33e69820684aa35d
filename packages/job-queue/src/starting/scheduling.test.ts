import { pass } from "@ganeti-ts/job-filter";
import type { FilterRule, FilterUuid, Job, JobId } from "@ganeti-ts/protocol";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { jobPriorityOf } from "../jobs/job-status.js";
import { type Entry, entryOf } from "../steps/entry.js";
import { Image } from "../steps/image.js";
import { defaultSettings } from "../stores/store.js";
import { startHindrances } from "./hindrance.js";
import { chooseRejected, chooseStarted, lookMaxDefault } from "./scheduling.js";

interface Wish {
  readonly isClaimed: boolean;
  readonly priority: number;
  readonly name: string;
  readonly reason: string;
  readonly depends: readonly number[];
}

const wish = fc.record({
  isClaimed: fc.boolean(),
  priority: fc.constantFrom(-10, 0, 0, 10),
  name: fc.constantFrom("OP_A", "OP_B"),
  reason: fc.constantFrom("", "", "rate-limit:1:x", "rate-limit:2:y"),
  depends: fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 2 }),
});

const rule = fc.record({
  priority: fc.nat(2),
  name: fc.constantFrom("OP_A", "OP_B", undefined),
  action: fc.constantFrom<FilterRule["action"]>(
    "ACCEPT",
    "PAUSE",
    "REJECT",
    "CONTINUE",
    ["RATE_LIMIT", 1],
    ["RATE_LIMIT", 2],
  ),
});

const jobOf = ({ name, priority, reason, depends }: Wish, id: number): Job => ({
  id: id as JobId,
  opcodes: [
    {
      input: {
        OP_ID: name,
        depends: depends.map((one) => [one, []]),
        reason: [["me", reason, 1n]],
      },
      status: "queued",
      result: null,
      log: [],
      priority,
      started: null,
      executed: null,
      ended: null,
    },
  ],
  received: null,
  started: null,
  ended: null,
});

const rulesOf = (given: readonly Wanted[]) =>
  given.map(({ priority, name, action }, at) => ({
    uuid: `00000000-0000-4000-8000-00000000000${at}` as FilterUuid,
    watermark: 0 as JobId,
    priority,
    action,
    predicates: name ? [["opcode", ["==", "OP_ID", name]]] : [],
    reason_trail: [],
  })) as FilterRule[];

interface Wanted {
  readonly priority: number;
  readonly name: string | undefined;
  readonly action: FilterRule["action"];
}

/** One thing that happens to the queue between two passes; `at` is one of the jobs that there are. */
type Event =
  | { readonly kind: "come"; readonly wish: Wish }
  | { readonly kind: "end" | "claim" | "give back"; readonly at: number }
  | { readonly kind: "priority"; readonly at: number; readonly priority: number }
  | { readonly kind: "rules"; readonly rules: readonly Wanted[] }
  | { readonly kind: "limit"; readonly runningMax: number }
  | { readonly kind: "ask" };

const at = fc.nat(30);
const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("come" as const), wish }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("end" as const), at }) },
  fc.record({ kind: fc.constantFrom("claim" as const, "give back" as const), at }),
  fc.record({ kind: fc.constant("priority" as const), at, priority: fc.constantFrom(-10, 0, 10) }),
  fc.record({ kind: fc.constant("rules" as const), rules: fc.array(rule, { maxLength: 3 }) }),
  fc.record({ kind: fc.constant("limit" as const), runningMax: fc.nat(6) }),
  fc.record({ kind: fc.constant("ask" as const) }),
);

const claim = { worker: 1, fence: 1 };

class World {
  readonly image = new Image();
  #serial = 0;

  happen(event: Event): void {
    const { image } = this;
    const entries = [...image.ids()].map((id) => image.get(id) as Entry);
    const entry = "at" in event ? entries[event.at % Math.max(entries.length, 1)] : undefined;
    if (event.kind === "come") {
      const job = jobOf(event.wish, ++this.#serial);
      image.set(job.id, entryOf(job, event.wish.isClaimed ? claim : null, undefined));
    } else if (event.kind === "rules") image.assign({ rules: rulesOf(event.rules) });
    else if (event.kind === "limit") {
      image.assign({ settings: { ...defaultSettings, runningMax: event.runningMax } });
    } else if (event.kind === "ask") chooseStarted(image, Infinity, 3);
    else if (entry !== undefined) {
      const { id } = entry.job;
      if (event.kind === "end") image.set(id, undefined);
      else if (event.kind === "claim") image.set(id, entryOf(entry.job, claim, entry));
      else if (event.kind === "give back") image.set(id, entryOf(entry.job, null, entry));
      else if (event.kind === "priority") {
        const opcodes = entry.job.opcodes.map((one) => ({ ...one, priority: event.priority }));
        image.set(id, entryOf({ ...entry.job, opcodes }, entry.claim, entry));
      }
    }
  }

  /** Result of the plain pass for the same jobs. */
  plain() {
    const { image } = this;
    const judged = [...image.ids()].map((id) => {
      const { job, claim, inputs } = image.get(id) as Entry;
      return { claim, job: { id, priority: jobPriorityOf(job.opcodes), inputs } };
    });
    return pass({
      queued: judged.filter(({ claim }) => claim === null).map(({ job }) => job),
      claimed: judged
        .filter(({ claim }) => claim !== null)
        .toSorted((a, b) => this.#rank(a.job.id) - this.#rank(b.job.id))
        .map(({ job }) => job),
      chain: image.chain,
      runningMax: image.settings.runningMax,
    });
  }

  #rank(id: JobId): number {
    return [...this.image.claimed].indexOf(id);
  }

  rejectAll(lookMax: number): JobId[] {
    const ids: JobId[] = [];
    for (;;) {
      const { rejected, isDone } = chooseRejected(this.image, lookMax);
      for (const { job } of rejected) {
        ids.push(job.id);
        this.image.set(job.id, undefined);
      }
      if (isDone) return ids.toSorted((a, b) => a - b);
    }
  }

  /** Claims the jobs in as many passes as it takes. */
  startAll(capacity: number, lookMax: number): JobId[] {
    const ids: JobId[] = [];
    for (;;) {
      const { started, isDone } = chooseStarted(this.image, capacity - ids.length, lookMax);
      for (const entry of started) {
        ids.push(entry.job.id);
        this.image.set(entry.job.id, entryOf(entry.job, claim, entry));
      }
      if (isDone) return ids;
    }
  }

  /** Cause that holds each queued job, if there is one. */
  held() {
    const { image } = this;
    for (;;) {
      const { started, isDone } = chooseStarted(image, Infinity, 2);
      if (!isDone) continue;
      return [...image.ids()].flatMap((id) => {
        const entry = image.get(id) as Entry;
        const causes = entry.claim === null ? startHindrances(image, entry, started) : [];
        return causes.length === 0 ? [] : [[id, causes] as const];
      });
    }
  }
}

test("passes that keep what they learnt, a few jobs at a time, choose and explain what plain ones do", () => {
  const seen = { started: 0, rejected: 0, held: 0, takenBack: 0 };
  const part = fc.record({
    events: fc.array(event, { maxLength: 6 }),
    capacity: fc.constantFrom(0, 1, 2, Infinity),
    lookMax: fc.constantFrom(1, 3, 1000),
    isKept: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 12 }), (parts) => {
      const world = new World();
      world.happen({ kind: "limit", runningMax: 3 });
      for (const { events, capacity, lookMax, isKept } of parts) {
        world.image.keep();
        for (const event of events) world.happen(event);
        const { cancel } = world.plain();
        expect(world.rejectAll(lookMax)).toEqual(cancel.map(({ job }) => job.id));
        seen.rejected += cancel.length;
        const plain = world.plain();
        const causes = plain.held.map(({ job, causes }) => [job.id, causes] as const);
        expect(new Map(world.held())).toEqual(new Map(causes));
        seen.held += causes.length;
        const started = world.startAll(capacity, lookMax);
        expect(started).toEqual(plain.start.slice(0, capacity).map(({ id }) => id));
        seen.started += started.length;
        if (isKept) continue;
        // The store refused the step: nothing of it has happened.
        world.image.rollback();
        seen.takenBack++;
      }
    }),
    { numRuns: 1000 },
  );
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(20);
});

test("a job behind a slot that another one would take starts when that one is canceled instead", () => {
  const image = new Image();
  const wish = { isClaimed: false, priority: 0, name: "OP_A", depends: [] };
  for (const id of [1, 2]) {
    const job = jobOf({ ...wish, reason: "rate-limit:1:x" }, id);
    image.set(job.id, entryOf(job, null, undefined));
  }
  const startable = () => chooseStarted(image, Infinity, 100).started.map(({ job }) => job.id);
  expect(startable()).toEqual([1]);
  image.set(1 as JobId, undefined);
  expect(startable()).toEqual([2]);
});

const many = 20_000;

/** An image of many queued jobs, of which no pass has been made. */
function crowd(reason: string, more: Partial<Wish> = {}): Image {
  const image = new Image();
  image.assign({ settings: { ...defaultSettings, runningMax: 5 } });
  for (let id = 1; id <= many; id++) {
    const wish = { isClaimed: false, priority: 0, name: "OP_A", reason, depends: [], ...more };
    image.set(id as JobId, entryOf(jobOf(wish, id), null, undefined));
  }
  image.keep();
  return image;
}

/** Number of jobs examined in each pass until one is complete; started jobs are claimed. */
function looks(image: Image): number[] {
  const counts: number[] = [];
  for (;;) {
    const { started, isDone, looked } = chooseStarted(image, Infinity, lookMaxDefault);
    counts.push(looked);
    for (const { job } of started) image.set(job.id, entryOf(job, claim, image.get(job.id)));
    if (isDone) return counts;
  }
}

test.each([
  { why: "paused", reason: "", action: "PAUSE" as const },
  { why: "held by a rule's limit", reason: "", action: ["RATE_LIMIT", 1] as const },
  { why: "held by their reason", reason: "rate-limit:1:x", action: "ACCEPT" as const },
])("jobs that are $why are examined once, in several passes, and then one by one", (given) => {
  const image = crowd(given.reason);
  image.assign({
    rules: rulesOf([{ priority: 0, name: "OP_A", action: given.action as never }]),
  });
  const counts = looks(image);
  expect(Math.max(...counts)).toBeLessThan(lookMaxDefault + 5);
  const all = counts.reduce((sum, count) => sum + count);
  expect(all).toBeGreaterThanOrEqual(many);
  expect(all).toBeLessThan(many + 5);
  expect(Math.max(...looks(image))).toBeLessThan(2);
  const [first] = image.claimed;
  if (first === undefined) return;
  image.set(first, undefined);
  expect(Math.max(...looks(image))).toBeLessThan(5);
  expect(image.claimed.size).toBe(1);
});
test("what a step changed and did not keep leaves no trace, also in the order of jobs", () => {
  const image = new Image();
  const put = (id: number, priority: number, isClaimed = false) => {
    const job = jobOf({ isClaimed, priority, name: "OP_A", reason: "", depends: [] }, id);
    image.set(job.id, entryOf(job, isClaimed ? { worker: 1, fence: 1 } : null, image.get(job.id)));
  };
  const order = () => chooseStarted(image, Infinity, 100).started.map(({ job }) => job.id);
  for (const [id, priority] of [
    [1, 0],
    [2, 10],
    [3, 0],
  ] as const)
    put(id, priority);
  image.keep();
  expect(order()).toEqual([1, 3, 2]);
  put(1, 0, true);
  put(2, -10);
  put(4, 0);
  image.set(3 as JobId, undefined);
  image.assign({ serial: 9 });
  expect(order()).toEqual([2, 4]);
  image.rollback();
  expect([order(), [...image.claimed], image.serial, image.size]).toEqual([[1, 3, 2], [], 0, 3]);
});

test("a pass moves nothing in a long line, although the jobs that it chooses stay in line", () => {
  const image = new Image();
  const plain: Wish = { isClaimed: false, priority: 0, name: "OP_A", reason: "", depends: [] };
  for (let id = 1; id <= 2000; id++) {
    image.set(id as JobId, entryOf(jobOf(plain, id), null, undefined));
  }
  image.assign({ settings: { ...defaultSettings, runningMax: 50 } });
  const splice = vi.spyOn(Array.prototype, "splice");
  const { started } = chooseStarted(image, 50, lookMaxDefault);
  const moves = splice.mock.calls.length;
  splice.mockRestore();
  expect(started.map(({ job }) => job.id)).toEqual(Array.from({ length: 50 }, (_, at) => at + 1));
  expect(moves).toBe(0);
  expect(image.waiting.first()?.id).toBe(1);
});

test("a pass looks at claimed jobs only if one that waits has a rule or a limit", () => {
  const image = new Image();
  const plain: Wish = { isClaimed: false, priority: 0, name: "OP_A", reason: "", depends: [] };
  const add = (id: number, one: Wish) => {
    const claim = one.isClaimed ? { worker: 1, fence: 1 } : null;
    image.set(id as JobId, entryOf(jobOf(one, id), claim, undefined));
  };
  for (let id = 1; id <= 100; id++) add(id, { ...plain, isClaimed: true });
  for (let id = 101; id <= 110; id++) add(id, plain);
  image.assign({ settings: { ...defaultSettings, runningMax: 200 } });
  const get = vi.spyOn(image, "get");
  const looked = () => {
    get.mockClear();
    chooseStarted(image, 200, lookMaxDefault);
    return get.mock.calls.filter(([id]) => id <= 100).length;
  };
  expect(looked()).toBe(0);
  add(111, { ...plain, reason: "rate-limit:1:x" });
  expect(looked()).toBe(100);
});

test("jobs keep their places in line if one behind them cannot be read", () => {
  const image = new Image();
  const plain: Wish = { isClaimed: false, priority: 0, name: "OP_A", reason: "", depends: [] };
  const [first, second] = [1, 2].map((id) => entryOf(jobOf(plain, id), null, undefined));
  image.set(1 as JobId, first);
  const unreadable = Object.defineProperty({ ...(second as Entry) }, "inputs", {
    get: () => {
      throw new Error("cannot be read");
    },
  });
  image.set(2 as JobId, unreadable);
  expect(() => chooseStarted(image, 10, lookMaxDefault)).toThrow("cannot be read");
  image.set(2 as JobId, undefined);
  const { started } = chooseStarted(image, 10, lookMaxDefault);
  expect(started.map(({ job }) => job.id)).toEqual([1]);
});
