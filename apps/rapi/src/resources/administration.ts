/**
 * Queue administration by the owner of a cluster: jobs of any opcodes, priorities, cancellation, the
 * archive, the drain flag.
 */
import type { JobId, JsonObject } from "@ganeti-ts/protocol";
import * as z from "zod";
import { HttpFault } from "../http/fault.js";
import { checkedBody } from "./checked-body.js";
import { type Call, type Method, type Resource, resource } from "./resource.js";
import { answered, SubmittedJobs, submitted } from "./submitted-jobs.js";

const jobsMax = 10_000;

const Jobs = z.object({
  /** Each job a list of opcodes: `OP_ID` and its parameters. A dependency -k means the job k places before. */
  jobs: z.array(z.array(z.looseObject({ OP_ID: z.string() }))).max(jobsMax),
});

const submitJobs: Method = {
  summary: "Submits jobs of any opcodes; one that is refused does not hold up the others",
  access: "full",
  body: Jobs,
  longBody: true,
  answer: SubmittedJobs,
  handle: ({ body }, world) => submitted(checkedBody(Jobs, body).jobs as JsonObject[][], world),
};

const Outcome = z.tuple([z.boolean(), z.string()]);
const jobOf = ({ names }: Call) => Number(names.job) as JobId;

const kill: Method = {
  summary: "Cancels a job even if it is running: whether that was done, and what to tell people",
  access: "full",
  answer: Outcome,
  handle: async (call, { queue }) => [
    ...(await answered(() => queue.cancel(jobOf(call), { kill: true }))),
  ],
};

const Priority = z.object({ priority: z.int().min(-20).max(19) });

const changePriority: Method = {
  summary:
    "Gives the rest of a job another priority: whether that was done, and what to tell people",
  access: "full",
  body: Priority,
  answer: Outcome,
  handle: async (call, { queue }) => {
    const { priority } = checkedBody(Priority, call.body);
    return [...(await answered(() => queue.changePriority(jobOf(call), priority)))];
  },
};

const archive: Method = {
  summary: "Puts a job that has ended into the archive: whether it was one",
  access: "full",
  answer: z.boolean(),
  handle: (call, { queue }) => answered(() => queue.archive(jobOf(call))),
};

const Age = z.object({
  /** Seconds since the job ended; -1 for any time. */
  age: z.int().min(-1),
  /** Maximum duration in seconds. */
  timeout: z.int().min(1).max(300).default(60),
});

const autoArchive: Method = {
  summary: "Puts old jobs into the archive: how many, and how many time was left for",
  access: "full",
  body: Age,
  answer: z.tuple([z.int(), z.int()]),
  waits: true,
  handle: async ({ body }, { queue }) => {
    const { age, timeout } = checkedBody(Age, body);
    return [...(await answered(() => queue.autoArchive(age, timeout)))];
  },
};

const QueueState = z.object({
  /** Whether the queue refuses new jobs. */
  drained: z.boolean(),
});

const queueState: Method = {
  summary: "Whether the queue takes new jobs",
  access: "read",
  answer: QueueState,
  handle: (_, { queue }) => ({ drained: queue.settings.drained }),
};

const changeQueue: Method = {
  summary: "Drains the queue, which takes no new jobs then, or ends that",
  access: "full",
  body: QueueState,
  answer: QueueState,
  handle: async ({ body }, { queue }) => {
    const { drained } = checkedBody(QueueState, body);
    await answered(() => queue.change({ drained }));
    return { drained };
  },
};

const WatcherState = z.object({
  /** End of the watcher's pause in seconds since the epoch; null for no pause. */
  pause_until: z.number().nonnegative().nullable(),
});

const watcherState: Method = {
  summary: "Until when the watcher is paused",
  access: "read",
  answer: WatcherState,
  handle: async (_, { objects }) => ({ pause_until: await objects.watcherPause() }),
};

const changeWatcher: Method = {
  summary: "Pauses the watcher, or lets it go on",
  access: "full",
  body: WatcherState,
  answer: WatcherState,
  handle: async ({ body }, { objects }) => {
    const { pause_until } = checkedBody(WatcherState, body);
    const answer = await objects.pauseWatcher(pause_until);
    if (!answer.ok) throw new HttpFault(502, answer.message);
    return { pause_until };
  },
};

export const administrationResources: readonly Resource[] = [
  resource("/ganeti-ts/1/jobs", { POST: submitJobs }),
  resource("/ganeti-ts/1/queue/autoarchive", { PUT: autoArchive }),
  resource("/ganeti-ts/1/jobs/{job}/kill", { PUT: kill }),
  resource("/ganeti-ts/1/jobs/{job}/priority", { PUT: changePriority }),
  resource("/ganeti-ts/1/jobs/{job}/archive", { PUT: archive }),
  resource("/ganeti-ts/1/queue", { GET: queueState, PUT: changeQueue }),
  resource("/ganeti-ts/1/watcher", { GET: watcherState, PUT: changeWatcher }),
];
