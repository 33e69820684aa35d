/** Effects of filter rules: jobs that they hold or count now, and jobs that a rule would match. */
import type { RuleQuestion } from "@ganeti-ts/job-queue";
import { FilterUuid, JobId, type Json, Timestamp } from "@ganeti-ts/protocol";
import * as z from "zod";
import type { World } from "../world.js";
import { checkedBody } from "./checked-body.js";
import { faultOfQueue } from "./queue-fault.js";
import { type Resource, resource } from "./resource.js";

const counts = { running: z.int(), queued: z.int() };

const Effects = z.object({
  /** By UUID; rules that apply to no unfinished job are missing. */
  rules: z.record(z.string(), z.object(counts)),
  /** Limits set by reason texts. */
  buckets: z.array(z.object({ text: z.string(), limit: z.int(), ...counts })),
  /** The queue's own limit, and the jobs below it. */
  limit: z.int(),
  ...counts,
});

const Question = z.object({
  /** The stored rule that is shown, or that `rule` would replace. */
  uuid: z.string().optional(),
  /** Body of a rule to add or replace; if absent, the stored rule. */
  rule: z.unknown().optional(),
});

const Caught = z.object({
  ...{ id: JobId, status: z.string(), summary: z.array(z.string()) },
  received_ts: Timestamp.nullable(),
  /** Whether the job has not ended. */
  open: z.boolean(),
  /** The rule that decides instead because it is evaluated earlier. */
  earlier: FilterUuid.nullable(),
});

const Preview = z.object({
  faults: z.array(z.object({ predicate: z.int().nullable(), text: z.string() })),
  watermark: JobId,
  ...{ open_count: z.int(), ended_count: z.int(), ended_looked: z.int() },
  caught: z.array(Caught),
});

export const ruleResources: readonly Resource[] = [
  resource("/ganeti-ts/1/filters", {
    GET: {
      summary: "Unfinished jobs by the rule that applies to them, and by limit",
      access: "read",
      answer: Effects,
      handle: (_, world) => effects(world),
    },
  }),
  resource("/ganeti-ts/1/filters/preview", {
    POST: {
      summary: "Jobs that a filter rule catches, or would catch; nothing is changed",
      access: "read",
      body: Question,
      answer: Preview,
      handle: ({ body }, world) => preview(checkedBody(Question, body), world),
    },
  }),
];

async function effects({ queue }: World): Promise<Json> {
  try {
    const { rules, buckets } = await queue.ruleEffects();
    const { counts } = await queue.live();
    const queued = counts.get("queued") ?? 0;
    const busy = ["waiting", "canceling", "running"] as const;
    return {
      rules: Object.fromEntries(
        Array.from(rules, ([uuid, { claimed, queued }]) => [uuid, { running: claimed, queued }]),
      ),
      buckets: Array.from(buckets, ([text, { limit, claimed, queued }]) => ({
        ...{ text, limit, running: claimed, queued },
      })),
      limit: queue.settings.runningMax,
      running: busy.reduce((sum, status) => sum + (counts.get(status) ?? 0), 0),
      queued,
    };
  } catch (error) {
    throw faultOfQueue(error);
  }
}

/** Fields of jobs that a preview shows. */
const shownFields = ["status", "summary", "received_ts"] as const;

async function preview(question: z.output<typeof Question>, { queue }: World): Promise<Json> {
  try {
    const { faults, watermark, ...found } = await queue.previewRule(question as RuleQuestion);
    const ids = found.caught.map(({ id }) => id);
    // An empty list of ids would select all jobs.
    const rows = ids.length === 0 ? [] : await queue.query(ids, shownFields);
    return {
      faults: faults.map(({ predicate, message }) => ({
        ...{ predicate: predicate ?? null, text: message },
      })),
      watermark,
      ...{ open_count: found.openCount, ended_count: found.endedCount },
      ended_looked: found.endedLooked,
      caught: found.caught.flatMap(({ id, isOpen, earlier }, at) => {
        const [status, summary, received] = rows[at] ?? [];
        // A job may have been archived and removed in between.
        if (status === undefined) return [];
        return [
          {
            ...{ id, status, summary: summary as Json, received_ts: received as Json },
            ...{ open: isOpen, earlier: earlier ?? null },
          },
        ];
      }),
    };
  } catch (error) {
    throw faultOfQueue(error);
  }
}
