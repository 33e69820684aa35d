/** watchGroup: one round of the watcher for one node group: check, restart, activate, verify. */
import type { Snapshot } from "@ganeti-ts/config";
import {
  type GroupObject,
  type JobId,
  type Json,
  type JsonObject,
  nanosecondsOf,
} from "@ganeti-ts/protocol";
import { type GroupView, lookAtGroup } from "./group-view.js";
import {
  amissIn,
  attemptsMax,
  type InstanceVerdict,
  judgeInstances,
  judgeOfflineDisks,
  judgeReboots,
} from "./judgement.js";
import { noNotes, readNotes, type WatcherNotes, writeNotes } from "./notes.js";
import type { RoundContext } from "./watcher-ports.js";

/** Notes of the latest round of each group. */
const latestNotes = new WeakMap<GroupObject, WatcherNotes>();

/**
 * Resolves when the jobs of the round have been decided, without waiting for their ends, which may take hours. Notes are
 * stored before the jobs they mention are submitted, so that attempts are counted even if the server dies in between.
 */
export async function watchGroup(group: GroupObject, context: RoundContext): Promise<void> {
  const { ports, pending } = context;
  const { log, notes: store, clock } = ports;
  const text = await store.load(group.uuid);
  const before = readNotes(text, latestNotes.get(group));
  if (before === undefined) {
    log.warn({ group: group.name }, "watcher: the notes of the group are damaged; starting over");
  }
  const now = await ports.refreshed();
  const view = await lookAtGroup(now, group, ports.nodes);
  for (const name of view.split) {
    log.warn({ instance: name }, "watcher: instance with nodes in several groups is not watched");
  }
  const nowSeconds = clock.wallMicros() / 1e6;
  const amiss = amissIn(view);
  const isTaken = amiss.length > 0 ? await takenSince(now, amiss, context) : () => false;
  const { verdicts, notes } = judgeInstances(view, before ?? noNotes, isTaken, nowSeconds);
  const starting = verdicts.flatMap(({ kind, name }) => (kind === "restart" ? [name] : []));
  const reboots = judgeReboots(view, notes, new Set([...starting, ...pending]));
  latestNotes.set(group, reboots.notes);
  const changed = writeNotes(reboots.notes);
  if (changed !== text) await store.save(group.uuid, changed);
  context.inBackground(group, async () => {
    await carryOut(verdicts, context);
    await eachPending(
      reboots.activations.map((name) => [name]),
      activate,
      context,
    );
    await verifyDisks(group, view, context);
  });
}

/** Opcodes that do not decide whether an instance runs: it may run before and during their work. */
const leavesRunning: ReadonlySet<string> = new Set([
  ...["OP_INSTANCE_REPLACE_DISKS", "OP_INSTANCE_GROW_DISK", "OP_INSTANCE_ACTIVATE_DISKS"],
  ...["OP_INSTANCE_MIGRATE", "OP_INSTANCE_FAILOVER", "OP_INSTANCE_MOVE", "OP_INSTANCE_REPAIR"],
]);

/**
 * Whether another job works on one of the named instances, or the instance has changed since it was checked. The nodes' answers
 * may then show a partial change, e.g. a shutdown that a restart would undo. A job that waits for the lock counts only if it
 * will decide whether the instance runs. O(locks held or awaited in the whole cluster).
 */
async function takenSince(
  before: Snapshot,
  names: readonly string[],
  { ports, pending }: RoundContext,
): Promise<(name: string) => boolean> {
  const wanted = new Map(names.map((name) => [`instance/${name}`, name]));
  const taken = new Set(names.filter((name) => pending.has(name)));
  const waiting = new Map<string, readonly JobId[]>();
  for (const { name: lock, mode, pending: waits } of await ports.locks.monitor()) {
    const name = wanted.get(lock);
    if (name === undefined) continue;
    const owners = waits.flatMap(([wish, some]) => (wish === "exclusive" ? some : []));
    if (mode !== null) taken.add(name);
    // Owners other than jobs do not wait for locks of instances.
    else if (owners.length > 0) waiting.set(name, owners.map(Number) as JobId[]);
  }
  for (const [name, jobs] of waiting) {
    const rows = await ports.queue.query(jobs, ["ops"]);
    const opcodes = rows.flatMap((row) => (row?.[0] ?? []) as readonly { OP_ID: string }[]);
    if (!opcodes.every(({ OP_ID }) => leavesRunning.has(OP_ID))) taken.add(name);
  }
  // Complete, because changes are stored before their locks are released.
  const now = await ports.refreshed();
  return (name) => taken.has(name) || before.findInstance(name) !== now.findInstance(name);
}

/** Runs the work on each named instance as slots become free; an instance is pending until its work has ended. */
async function eachPending(
  items: readonly (readonly string[])[],
  work: (names: readonly string[], context: RoundContext) => Promise<unknown>,
  context: RoundContext,
): Promise<void> {
  const { slots, pending } = context;
  for (const name of items.flat()) pending.add(name);
  try {
    await slots.each(items, async (names) => {
      await work(names, context);
      for (const name of names) pending.delete(name);
    });
  } finally {
    for (const name of items.flat()) pending.delete(name);
  }
}

async function carryOut(
  verdicts: readonly InstanceVerdict[],
  context: RoundContext,
): Promise<void> {
  const { counts } = context;
  const { log } = context.ports;
  const jobs = new Map<string, JsonObject>();
  for (const { kind, name: instance, attempt } of verdicts) {
    switch (kind) {
      case "restart":
        log.info({ instance, attempt }, "watcher: restarting instance");
        counts.restarts++;
        jobs.set(instance, startup(instance, context));
        break;
      case "clean up":
        log.info({ instance }, "watcher: instance was shut down by its user, cleaning up");
        counts.cleanups++;
        jobs.set(instance, cleanup(instance, context));
        break;
      case "give up":
        counts.givenUp++;
        log.error({ instance, attempts: attemptsMax }, "watcher: giving up on instance");
        break;
      case "exhausted":
        log.warn({ instance }, "watcher: not restarting instance, retries exhausted");
        break;
      case "locked":
        log.info({ instance }, "watcher: leaving instance to the job that has its lock");
        break;
      case "recovered":
        log.info({ instance, attempt }, "watcher: restart of instance succeeded");
    }
  }
  const names = Array.from(jobs.keys(), (name) => [name]);
  const run = (some: readonly string[]) =>
    isDone(
      some.map((name) => jobs.get(name) as JsonObject),
      context,
    );
  await eachPending(names, run, context);
}

/**
 * Verifies disks and activates those found down, in jobs of many opcodes, which put less load on the queue. Does nothing
 * while a verification of the group is in the queue, even if another client submitted it.
 */
async function verifyDisks(
  group: GroupObject,
  view: GroupView,
  context: RoundContext,
): Promise<void> {
  const { ports, verifying } = context;
  if (view.isExternal || verifying.has(group.uuid)) return;
  verifying.add(group.uuid);
  try {
    if (await isVerificationPending(group, ports)) return;
    const opcode = {
      OP_ID: "OP_GROUP_VERIFY_DISKS",
      group_name: group.uuid,
      // Must neither wait for instances that jobs work on, nor block other jobs.
      is_strict: false,
      priority: lowPriority,
      reason: reason(`Verifying disks of group ${group.uuid}`, context),
    };
    const id = await ports.queue.submit([opcode]);
    const { status, results } = await ports.queue.ended(id, { signal: context.signal });
    if (status !== "success") {
      ports.log.warn({ group: group.name, job: id }, "watcher: verifying disks failed");
      return;
    }
    await ports.queue.archive(id);
    await activateFound((results[0] as readonly Json[])[1] as readonly string[], group, context);
  } finally {
    verifying.delete(group.uuid);
  }
}

async function isVerificationPending(
  { uuid, name }: GroupObject,
  { queue }: RoundContext["ports"],
): Promise<boolean> {
  await queue.live();
  const summaries = [uuid, name].map((one) => `GROUP_VERIFY_DISKS(${one})`);
  const open = queue.openIds;
  // An empty list of ids would mean all jobs.
  const rows = open.length > 0 ? await queue.query(open, ["summary"]) : [];
  return rows.some((row) =>
    ((row?.[0] ?? []) as readonly string[]).some((summary) => summaries.includes(summary)),
  );
}

/** Activates disks found down, unless another job works on their instance, which the verification did not lock. */
async function activateFound(
  offline: readonly string[],
  group: GroupObject,
  context: RoundContext,
): Promise<void> {
  if (offline.length === 0) return;
  const { ports } = context;
  const now = await ports.refreshed();
  const view = await lookAtGroup(now, now.group(group.uuid) ?? group, ports.nodes);
  const isTaken = await takenSince(now, offline, context);
  const { activations, skipped } = judgeOfflineDisks(view, offline);
  if (skipped.length > 0) {
    ports.log.info({ instances: skipped }, "watcher: disks are down and cannot be activated now");
  }
  const free = activations.filter((name) => !isTaken(name));
  await eachPending(chunksOf(free, opcodesMax), activate, context);
}

/** Maximum number of opcodes in one job: after a failed one, the following ones are not run until the next round. */
const opcodesMax = 100;

const chunksOf = <Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, at) =>
    items.slice(at * size, (at + 1) * size),
  );

/** Priority of background checks. */
const lowPriority = 10;

/** Submits one job with an activation for each instance. */
async function activate(names: readonly string[], context: RoundContext): Promise<void> {
  context.counts.activations += names.length;
  context.ports.log.info({ instances: names }, "watcher: activating disks");
  const opcodes = names.map((instance_name) => ({
    OP_ID: "OP_INSTANCE_ACTIVATE_DISKS",
    instance_name,
    reason: reason(`Activating disks for instance ${instance_name}`, context),
  }));
  await isDone(opcodes, context);
}

/** Runs a job with these opcodes; returns whether it succeeded, and logs a failure. */
async function isDone(opcodes: readonly JsonObject[], context: RoundContext): Promise<boolean> {
  const { queue, log } = context.ports;
  if (context.signal.aborted) throw context.signal.reason;
  const job: JobId = await queue.submit(opcodes);
  const { status } = await queue.ended(job, { signal: context.signal });
  if (status !== "success") log.warn({ job, status }, "watcher: a job failed");
  return status === "success";
}

const startup = (instance_name: string, context: RoundContext): JsonObject => ({
  OP_ID: "OP_INSTANCE_STARTUP",
  instance_name,
  force: false,
  reason: reason(`Restarting instance ${instance_name}`, context),
});

const cleanup = (instance_name: string, context: RoundContext): JsonObject => ({
  OP_ID: "OP_INSTANCE_SHUTDOWN",
  instance_name,
  admin_state_source: "user",
  reason: reason(`Cleaning up instance ${instance_name}`, context),
});

/** Reason trail of Ganeti's watcher, so that filter rules for it apply here as well. */
const reason = (text: string, { ports }: RoundContext): Json => [
  ["gnt:watcher", text, nanosecondsOf(ports.clock.wallMicros())],
];
