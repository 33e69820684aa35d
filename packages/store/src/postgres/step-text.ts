/** Texts of a step's changes, the arguments of `keep_step`: arrays with a row per job, and JSON. */
import {
  type Change,
  type Claim,
  changedId,
  type JobChange,
  type Taken,
} from "@ganeti-ts/job-queue";
import { isFinalized, type JobId, microsOf } from "@ganeti-ts/protocol";
import { entryText, fewOpcodes, type JobWriting, jobWriting, ruleText } from "../rows/documents.js";
import { jobText } from "../rows/job-text.js";
import type { KnownCommit } from "./history.js";

export interface StepPlace {
  readonly claim: Claim;
  readonly stepNumber: number;
  /** The revision created by this step, and its mark. */
  readonly commit: KnownCommit;
  /** New jobs that are already in the database. */
  readonly inserted: ReadonlySet<JobChange>;
  /** The worker that holds an unfinished job before this step, or null; undefined if unknown. */
  readonly holderOf: (id: JobId) => number | null | undefined;
  /** If absent, others are not notified at once. */
  readonly channel: string | undefined;
}

/** The arguments of `keep_step` in order; undefined is NULL. */
export type StepTexts = readonly (string | undefined)[];

/** The arguments of `keep_step` for these changes. */
export function stepTexts(
  changes: readonly Change[],
  { claim, stepNumber, commit, inserted, holderOf, channel }: StepPlace,
): StepTexts {
  const jobs = changes.filter((change) => change.kind === "job");
  const added = jobs.filter(({ isNew }) => isNew);
  const written: Written[] = added
    .filter((one) => !inserted.has(one))
    .map((change) => ({
      change,
      writing: { document: jobText(change.job), mayHavePatches: false },
    }));
  const insertCount = written.length;
  for (const change of jobs) {
    if (change.isNew || lightClaim(change) !== undefined) continue;
    written.push({ change, writing: jobWriting(change) });
  }
  const taken = jobs.flatMap((change) => lightClaim(change) ?? []);
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
    revision: String(commit.number),
    mark: text(commit.mark),
    more: String(added.length - archived.length),
    serial: text(last("serial")?.serial),
    ruled: String(rules.length + rulesGone.length > 0),
    settings: text(settings && [settings.drained, settings.runningMax, settings.sizeMax]),
    whole: list(written.flatMap(wholeRow)),
    archived: list(archived.map(String)),
    rules: list(rules),
    rulesGone: list(rulesGone.map((uuid) => JSON.stringify(uuid))),
    dead: list(claims("fence")),
    buried: list(claims("bury")),
    channel: text(channel),
    taken: text(taken[0]?.at),
    process: text(taken[0]?.processId),
  };
  const given = Object.entries(parts).filter(([, value]) => value !== undefined);
  return [
    `{${given.map(([key, value]) => `"${key}":${value}`).join()}}`,
    String(insertCount),
    ...jobColumns(written, holderOf),
    list(written.flatMap(patchRows)),
    list(jobs.flatMap(logRows)),
    `[${[...jobs.map(newsRow), ...archived.map(archivedRow)].join()}]`,
    ...takenColumns(taken),
  ];
}

/**
 * The columns id, status, priority, ended, claimed_by, fence and cancel and the former claimed_by as arrays, and a JSON
 * list of documents: null where the stored one is kept. PostgreSQL parses arrays faster than objects with the same keys in each row.
 */
function jobColumns(
  written: readonly Written[],
  holderOf: StepPlace["holderOf"],
): readonly string[] {
  const column = (of: (change: JobChange) => string | number) =>
    `{${written.map(({ change }) => of(change)).join()}}`;
  const documents = written.map(({ writing }) =>
    "document" in writing ? writing.document : "null",
  );
  return [
    column(({ job }) => job.id),
    column(({ status }) => status),
    column(({ priority }) => priority),
    column(({ job }) => (job.ended === null ? "NULL" : microsOf(job.ended))),
    column(({ claim }) => claim?.worker ?? "NULL"),
    column(({ claim }) => claim?.fence ?? "NULL"),
    column(({ claim }) => (claim?.cancel === true ? "t" : "f")),
    column(({ job }) => holderOf(job.id) ?? "NULL"),
    `[${documents.join()}]`,
  ];
}

/** The claim of a job whose document is not written: it follows from the stored one, and from the claim. */
const lightClaim = ({ taken }: JobChange): Taken | undefined =>
  taken !== undefined && taken.opcodeCount <= fewOpcodes ? taken : undefined;

const takenColumns = (taken: readonly Taken[]): readonly (string | undefined)[] =>
  taken.length === 0
    ? [undefined, undefined]
    : [`{${taken.map(({ id }) => id).join()}}`, `{${taken.map(({ status }) => status).join()}}`];

const quoted = (document: string): string => JSON.stringify(document);

const text = (value: unknown): string | undefined =>
  value === undefined ? undefined : JSON.stringify(value);

const list = (rows: readonly string[]): string | undefined =>
  rows.length === 0 ? undefined : `[${rows.join()}]`;

interface Written {
  readonly change: JobChange;
  readonly writing: JobWriting;
}

/** Ids of jobs whose document replaces all patches. */
const wholeRow = ({ change, writing }: Written): string[] =>
  "document" in writing && writing.mayHavePatches ? [String(change.job.id)] : [];

const patchRows = ({ change: { job }, writing }: Written): string[] =>
  "document" in writing
    ? []
    : writing.patches.map(
        ({ opcode, text: patch }) =>
          `{"job":${job.id},"opcode":${opcode},"document":${quoted(patch)}}`,
      );

const logRows = (change: JobChange): string[] =>
  change.log.map(
    ({ index, entry }) =>
      `{"job":${changedId(change)},"serial":${entry[0]},"opcode":${index},"entry":${quoted(entryText(entry))}}`,
  );

/** News row for other workers: id, status, archived, claimed_by, fence, cancel. */
function newsRow(change: JobChange): string {
  const { status, claim } = change;
  return `[${changedId(change)},"${status}",false,${claim?.worker ?? null},${claim?.fence ?? null},${claim?.cancel === true}]`;
}

/** It has ended; the exact status does not matter to readers of unfinished jobs. */
const archivedRow = (id: JobId): string => `[${id},"success",true,null,null,false]`;

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
    const before = change.isNew ? null : (holderOf(changedId(change)) ?? null);
    const after = change.claim?.worker ?? null;
    if ([before, after].some((one) => one !== null && one !== own)) return true;
    if (after === null && !isFinalized(change.status)) return true;
    slotsFreed += Number(before !== null) - Number(after !== null);
  }
  return slotsFreed > 0;
}
