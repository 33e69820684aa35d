/** actingAs: the cluster for one client: jobs and rules name the user, and all other actions are recorded. */
import {
  type ClusterObjects,
  type ClusterQueue,
  type NodeReply,
  submitFaultless,
} from "@ganeti-ts/cluster";
import { QueueError } from "@ganeti-ts/job-queue";
import {
  type FilterRule,
  type JsonObject,
  nanosecondsOf,
  type TimeOfDay,
  writeJson,
} from "@ganeti-ts/protocol";
import {
  type Actor,
  type RecordedAction,
  type RecordedOutcome,
  type Recorder,
  type RecorderParts,
  recorderOf,
} from "./recorder.js";
import { forgedUser, opcodeBy, ruleBy } from "./user-trail.js";

/** Queue and objects that a client changes. */
export interface Acted {
  readonly queue: ClusterQueue;
  readonly objects: ClusterObjects;
}

/** Queue and objects of one client, and the recorder of its other actions. */
export function actingAs(
  actor: Actor,
  { queue, objects, ...parts }: Acted & RecorderParts,
): Acted & { readonly record: Recorder } {
  const record = recorderOf(parts, actor);
  return {
    queue: actingQueue(queue, { user: actor.user, record, clock: parts.clock }),
    objects: actingObjects(objects, record),
    record,
  };
}

interface Acting {
  readonly user: string | null;
  readonly record: Recorder;
  readonly clock: TimeOfDay;
}

/** The queue of one client. @throws QueueError `wrong_input` for trails of reasons that name a user */
function actingQueue(queue: ClusterQueue, acting: Acting): ClusterQueue {
  const act = recordedBy(acting.record);
  const own: Partial<ClusterQueue> = {
    ...submissions(queue, acting),
    ...ruleChanges(queue, acting),
    cancel: (id, options) => act("cancel", `job ${id}`, () => queue.cancel(id, options), outcomeOf),
    changePriority: (id, priority) =>
      act("priority", `job ${id}`, () => queue.changePriority(id, priority), outcomeOf),
    archive: (id) => {
      const archive = () => queue.archive(id);
      return act("archive", `job ${id}`, archive, (isDone) => ({ done: isDone, text: "" }));
    },
    autoArchive: (age, timeout) => {
      const archive = () => queue.autoArchive(age, timeout);
      return act("archive", "", archive, ([count]) => done(`${count} jobs older than ${age} s`));
    },
    change: (settings) => {
      const text = writeJson(settings as JsonObject);
      return act(
        "queue",
        "",
        () => queue.change(settings),
        () => done(text),
      );
    },
  };
  // All other members, including getters, are inherited from the queue.
  return Object.assign(Object.create(queue) as ClusterQueue, own);
}

function submissions(
  queue: ClusterQueue,
  { user, clock }: Acting,
): Pick<ClusterQueue, "submit" | "submitToDrained" | "submitMany"> {
  const named = (opcodes: readonly JsonObject[]): readonly JsonObject[] => {
    const now = nanosecondsOf(clock.wallMicros());
    return opcodes.map((opcode) => opcodeBy(user, opcode, now));
  };
  const faultOf = (opcodes: readonly JsonObject[]): string | undefined =>
    opcodes.map(forgedUser).find((fault) => fault !== undefined);
  const allowed = (opcodes: readonly JsonObject[]): readonly JsonObject[] => {
    const fault = faultOf(opcodes);
    if (fault !== undefined) throw new QueueError("wrong_input", fault);
    return named(opcodes);
  };
  return {
    submit: async (opcodes) => queue.submit(allowed(opcodes)),
    submitToDrained: async (opcodes) => queue.submitToDrained(allowed(opcodes)),
    submitMany: (jobs) =>
      submitFaultless(jobs, faultOf, (faultless) => queue.submitMany(faultless.map(named))),
  };
}

function ruleChanges(
  queue: ClusterQueue,
  { user, record, clock }: Acting,
): Pick<ClusterQueue, "addRule" | "replaceRule" | "deleteRule"> {
  const act = recordedBy(record);
  const now = () => nanosecondsOf(clock.wallMicros());
  const ruleOf = (uuid: string) => queue.rules.find((rule) => rule.uuid === uuid);
  return {
    addRule: (body) => {
      const add = async () => queue.addRule(ruleBy(user, body, { now: now() }));
      return act("add rule", "", add, (uuid) => ({ ...done(textOf(ruleOf(uuid))), object: uuid }));
    },
    replaceRule: (uuid, body) => {
      const known = ruleOf(uuid)?.reason_trail ?? [];
      const replace = async () =>
        queue.replaceRule(uuid, ruleBy(user, body, { now: now(), known }));
      return act("replace rule", uuid, replace, () => done(textOf(ruleOf(uuid))));
    },
    deleteRule: (uuid) => {
      const text = textOf(ruleOf(uuid));
      return act(
        "delete rule",
        uuid,
        () => queue.deleteRule(uuid),
        () => done(text),
      );
    },
  };
}

/** The objects of one client, with a record of its actions on nodes and the watcher. */
function actingObjects(objects: ClusterObjects, record: Recorder): ClusterObjects {
  const act = recordedBy(record);
  const own: Partial<ClusterObjects> = {
    pauseWatcher: (until) => {
      const text =
        until === null ? "goes on" : `paused until ${new Date(until * 1000).toISOString()}`;
      const pause = () => objects.pauseWatcher(until);
      return act("watcher", "", pause, (reply) => replyOf(reply, () => text));
    },
    // The command line may contain a password, so only the log has it: more users can read the audit.
    runOnNode: (node, command) => {
      const run = () => objects.runOnNode(node, command);
      return act("command", node, run, (reply) =>
        replyOf(reply, ({ exitCode }) => `exit code ${exitCode}`),
      );
    },
    fileToNode: (node, file) => {
      const write = () => objects.fileToNode(node, file);
      return act("file", node, write, (reply) => replyOf(reply, () => file.path));
    },
  };
  return Object.assign(Object.create(objects) as ClusterObjects, own);
}

/** Carries out an action and records its outcome, including refusals. */
const recordedBy =
  (record: Recorder) =>
  async <Value>(
    action: RecordedAction,
    object: string,
    act: () => Promise<Value>,
    outcome: (value: Value) => RecordedOutcome,
  ): Promise<Value> => {
    const ended = await act().then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    if ("error" in ended) {
      await record(action, { object, done: false, text: (ended.error as Error).message });
      throw ended.error;
    }
    await record(action, { object, ...outcome(ended.value) });
    return ended.value;
  };

function replyOf<Value>(
  reply: NodeReply<Value>,
  textOf: (value: Value) => string,
): RecordedOutcome {
  if (reply === undefined) return { done: false, text: "there is no such node" };
  return reply.ok ? done(textOf(reply.value)) : { done: false, text: reply.message };
}

const done = (text: string): RecordedOutcome => ({ done: true, text });

const outcomeOf = ([isDone, text]: readonly [boolean, string]): RecordedOutcome => ({
  done: isDone,
  text,
});

/** Effect of a rule, without its reasons. */
const textOf = (rule: FilterRule | undefined): string =>
  rule === undefined
    ? ""
    : `priority ${rule.priority}, ${writeJson(rule.action)}, ${writeJson(rule.predicates as never)}`;
