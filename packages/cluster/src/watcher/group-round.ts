/** One round of the watcher over one node group: look, restart, activate, verify. */
import type { Snapshot } from "@ganeti-ts/config";
import type { GroupObject, JobId, Json, JsonObject } from "@ganeti-ts/protocol";
import { nanosecondsOf } from "@ganeti-ts/protocol";
import { type GroupView, lookAtGroup } from "./group-view.js";
import {
  attemptsMax,
  type InstanceVerdict,
  isAmiss,
  judgeInstances,
  judgeOfflineDisks,
  judgeReboots,
} from "./judgement.js";
import { noNotes, readNotes, type WatcherNotes, writeNotes } from "./notes.js";
import type { RoundContext } from "./watcher-ports.js";

/** Notes of the latest round of each group. */
const latestNotes = new WeakMap<GroupObject, WatcherNotes>();

/**
 * Notes are kept before the jobs that they announce are submitted, so that a server that dies meanwhile
 * does not begin to count again.
 */
export async function watchGroup(group: GroupObject, context: RoundContext): Promise<void> {
  const { ports } = context;
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
  let saved = text;
  const save = async (notes: WatcherNotes) => {
    latestNotes.set(group, notes);
    const changed = writeNotes(notes);
    if (changed === saved) return;
    await store.save(group.uuid, changed);
    saved = changed;
  };

  const nowSeconds = clock.wallMicros() / 1e6;
  const { verdicts, notes } = judgeInstances(
    view,
    before ?? noNotes,
    isAmiss(view) ? await lockedSince(now, context) : () => false,
    nowSeconds,
  );
  await save(notes);
  const started = await carryOut(verdicts, context);

  const reboots = judgeReboots(view, notes, started);
  await context.slots.each(reboots.activations, (name) => activate([name], context));
  await save(reboots.notes);
  await verifyDisks(group, view, context);
}

/**
 * Whether a job holds or awaits the lock of the named instance, or has changed it since it was
 * checked. The nodes' answers may then show half of a change, e.g. a shutdown that a restart would
 * undo. O(locks held or awaited in the whole cluster).
 */
async function lockedSince(
  before: Snapshot,
  { ports }: RoundContext,
): Promise<(name: string) => boolean> {
  const prefix = "instance/";
  const rows = await ports.locks.monitor();
  const locked = new Set(
    rows.flatMap(({ name }) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : [])),
  );
  // Changes are stored before their locks are released.
  const now = await ports.refreshed();
  return (name) => locked.has(name) || before.findInstance(name) !== now.findInstance(name);
}

/** Gives the names of the instances that were started. */
async function carryOut(
  verdicts: readonly InstanceVerdict[],
  context: RoundContext,
): Promise<ReadonlySet<string>> {
  const { slots, counts } = context;
  const { log } = context.ports;
  const started = new Set<string>();
  await slots.each(verdicts, async ({ kind, name: instance, attempt }) => {
    switch (kind) {
      case "restart":
        log.info({ instance, attempt }, "watcher: restarting instance");
        counts.restarts++;
        if (await isDone([startup(instance, context)], context)) started.add(instance);
        return;
      case "clean up":
        log.info({ instance }, "watcher: instance was shut down by its user, cleaning up");
        counts.cleanups++;
        await isDone([cleanup(instance, context)], context);
        return;
      case "give up":
        counts.givenUp++;
        log.error({ instance, attempts: attemptsMax }, "watcher: giving up on instance");
        return;
      case "exhausted":
        log.warn({ instance }, "watcher: not restarting instance, retries exhausted");
        return;
      case "locked":
        log.info({ instance }, "watcher: leaving instance to the job that has its lock");
        return;
      case "recovered":
        log.info({ instance, attempt }, "watcher: restart of instance succeeded");
    }
  });
  return started;
}

/**
 * Looks for disks that are down or gone, and brings them up in jobs of many opcodes, which puts less load on the
 * queue.
 */
async function verifyDisks(
  group: GroupObject,
  view: GroupView,
  context: RoundContext,
): Promise<void> {
  if (view.isExternal) return;
  const { ports } = context;
  const opcode = {
    OP_ID: "OP_GROUP_VERIFY_DISKS",
    group_name: group.uuid,
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
  const offline = (results[0] as readonly Json[])[1] as readonly string[];
  const { activations, skipped } = judgeOfflineDisks(view, offline);
  if (skipped.length > 0) {
    ports.log.info({ instances: skipped }, "watcher: disks are down and cannot be activated now");
  }
  await context.slots.each(chunksOf(activations, opcodesMax), (some) => activate(some, context));
}

/** Maximum number of opcodes in one job: a failed one takes the following ones along until the next round. */
const opcodesMax = 100;

const chunksOf = <Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, at) =>
    items.slice(at * size, (at + 1) * size),
  );

/** Priority of background checks. */
const lowPriority = 10;

/** One job with an opcode for each of the instances. */
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

/** Whether the job of these opcodes has succeeded; a failure is logged. */
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

/** The trail of Ganeti's watcher, so that filter rules for it hold here as well. */
const reason = (text: string, { ports }: RoundContext): Json => [
  ["gnt:watcher", text, nanosecondsOf(ports.clock.wallMicros())],
];
