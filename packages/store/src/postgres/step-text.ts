/** JSON texts of a step's changes, the arguments of `keep_step`. */
import type { Change, Claim, JobChange } from "@ganeti-ts/job-queue";
import { isFinalized, type JobId, microsOf } from "@ganeti-ts/protocol";
import { entryText, type JobWriting, jobText, jobWriting, ruleText } from "../rows/documents.js";

export interface StepPlace {
  readonly claim: Claim;
  readonly stepNumber: number;
  /** The revision created by this step. */
  readonly revision: number;
  /** New jobs that are already in the database. */
  readonly inserted: ReadonlySet<JobChange>;
  /** If absent, others are not notified at once. */
  readonly channel: string | undefined;
}

/** The arguments of `keep_step` in order; undefined is NULL. */
export type StepTexts = readonly (string | undefined)[];

/** The arguments of `keep_step` for these changes. */
export function stepTexts(
  changes: readonly Change[],
  { claim, stepNumber, revision, inserted, channel }: StepPlace,
): StepTexts {
  const jobs = changes.filter((change) => change.kind === "job");
  const added = jobs.filter(({ isNew }) => isNew);
  const changed = jobs
    .filter(({ isNew }) => !isNew)
    .map((change) => ({ change, writing: jobWriting(change) }));
  const archived = changes.flatMap((change) => (change.kind === "archive" ? change.ids : []));
  const last = <Kind extends Change["kind"]>(kind: Kind) =>
    changes.findLast((change): change is Extract<Change, { kind: Kind }> => change.kind === kind);
  const rules = changes.flatMap((change) =>
    change.kind === "rule"
      ? [`{"uuid":"${change.rule.uuid}","document":${quoted(ruleText(change.rule))}}`]
      : [],
  );
  const rulesGone = changes.flatMap((change) => (change.kind === "rule gone" ? [change.uuid] : []));
  const claims = (kind: "fence" | "bury") =>
    changes.flatMap((change) =>
      change.kind === kind
        ? [JSON.stringify({ worker: change.dead.worker, fence: change.dead.fence })]
        : [],
    );
  const settings = last("settings")?.settings;
  const parts: Record<string, string | undefined> = {
    worker: String(claim.worker),
    fence: String(claim.fence),
    step: String(stepNumber),
    revision: String(revision),
    more: String(added.length - archived.length),
    serial: text(last("serial")?.serial),
    ruled: String(rules.length + rulesGone.length > 0),
    settings: text(settings && [settings.drained, settings.runningMax, settings.sizeMax]),
    whole: list(changed.flatMap(wholeRow)),
    archived: list(archived.map(String)),
    rules: list(rules),
    rulesGone: list(rulesGone.map((uuid) => JSON.stringify(uuid))),
    dead: list(claims("fence")),
    buried: list(claims("bury")),
    channel: text(channel),
  };
  const given = Object.entries(parts).filter(([, value]) => value !== undefined);
  return [
    `{${given.map(([key, value]) => `"${key}":${value}`).join()}}`,
    list(added.filter((one) => !inserted.has(one)).map((one) => jobRow(one, jobText(one.job)))),
    list(
      changed.map(({ change, writing }) =>
        jobRow(change, "document" in writing ? writing.document : undefined),
      ),
    ),
    list(changed.flatMap(patchRows)),
    list(jobs.flatMap(logRows)),
    `[${[...jobs.map(newsRow), ...archived.map(archivedRow)].join()}]`,
  ];
}

const quoted = (document: string): string => JSON.stringify(document);

const text = (value: unknown): string | undefined =>
  value === undefined ? undefined : JSON.stringify(value);

const list = (rows: readonly string[]): string | undefined =>
  rows.length === 0 ? undefined : `[${rows.join()}]`;

interface Changed {
  readonly change: JobChange;
  readonly writing: JobWriting;
}

/** Ids of jobs whose document replaces all patches. */
const wholeRow = ({ change, writing }: Changed): string[] =>
  "document" in writing && writing.mayHavePatches ? [String(change.job.id)] : [];

const patchRows = ({ change: { job }, writing }: Changed): string[] =>
  "document" in writing
    ? []
    : writing.patches.map(
        ({ opcode, text: patch }) =>
          `{"job":${job.id},"opcode":${opcode},"document":${quoted(patch)}}`,
      );

/** Without a document the stored one is kept. */
function jobRow({ job, status, priority, claim }: JobChange, document: string | undefined): string {
  const ended = job.ended === null ? null : microsOf(job.ended);
  return (
    `{"id":${job.id},"status":"${status}","priority":${priority},"ended":${ended},` +
    `"claimed_by":${claim?.worker ?? null},"fence":${claim?.fence ?? null},` +
    `"cancel":${claim?.cancel === true},"document":${document === undefined ? null : quoted(document)}}`
  );
}

const logRows = ({ job, log }: JobChange): string[] =>
  log.map(
    ({ index, entry }) =>
      `{"job":${job.id},"serial":${entry[0]},"opcode":${index},"entry":${quoted(entryText(entry))}}`,
  );

/** News row for other workers: id, status, archived, claimed_by, fence, cancel. */
const newsRow = ({ job, status, claim }: JobChange): string =>
  JSON.stringify([
    ...[job.id, status, false],
    ...[claim?.worker ?? null, claim?.fence ?? null, claim?.cancel === true],
  ]);

/** It has ended; the exact status does not matter to readers of unfinished jobs. */
const archivedRow = (id: JobId): string => JSON.stringify([id, "success", true, null, null, false]);

/**
 * Whether others must be notified of the step at once: it changes jobs they hold, rules or limits, or leaves
 * jobs to start. Progress of this worker's own jobs is not urgent. `holderOf` returns the previous holder of
 * an unfinished job: a worker, or null; undefined if unknown.
 */
export function interestsOthers(
  changes: readonly Change[],
  own: number,
  holderOf: (id: JobId) => number | null | undefined,
): boolean {
  let slotsFreed = 0;
  for (const change of changes) {
    if (change.kind === "serial" || change.kind === "archive") continue;
    if (change.kind !== "job") return true;
    const before = change.isNew ? null : (holderOf(change.job.id) ?? null);
    const after = change.claim?.worker ?? null;
    if ([before, after].some((one) => one !== null && one !== own)) return true;
    if (after === null && !isFinalized(change.status)) return true;
    slotsFreed += Number(before !== null) - Number(after !== null);
  }
  return slotsFreed > 0;
}
