import type { JobId } from "@ganeti-ts/protocol";
import type pg from "pg";
import { expect, test } from "vitest";
import { jobText } from "../rows/job-text.js";
import { JobsAhead } from "./jobs-ahead.js";
import { KnownJobs, type NewsRow } from "./known-jobs.js";
import { type BundleRow, bundleSeparator } from "./statements.js";
import { newsOf, type StepStart } from "./step-news.js";

const own = 1;
const other = 2;

/** The document of a queued job of one opcode. */
const document = (id: number, more: object = {}) =>
  jobText({
    id: id as JobId,
    opcodes: [
      {
        input: { OP_ID: "OP_TEST_DELAY", comment: `job ${id}`, ...more },
        ...({ status: "queued", result: null, log: [], priority: 0 } as const),
        ...{ started: null, executed: null, ended: null },
      },
    ],
    ...{ received: null, started: null, ended: null },
  });

const bundle = (revision: number, documents: readonly string[]): BundleRow => ({
  ids: documents.map((_, at) => at + 1).join(),
  priorities: documents.map((_, at) => 10 * (at + 1)).join(),
  documents: documents.join(bundleSeparator),
  revision: String(revision),
});

/** News after the `steps` of others, the last of them at `revision`, by a worker that has read the bundle ahead. */
async function newsAfter(
  read: BundleRow,
  steps: readonly (readonly NewsRow[])[],
  revision: number,
) {
  const asked: (readonly number[])[] = [];
  const client = {
    async query({ name, values }: { readonly name: string; readonly values: readonly string[] }) {
      if (name === "new jobs") return { rows: [read] };
      const ids = (values[0] as string).slice(1, -1).split(",").map(Number);
      asked.push(ids);
      const row = { status: "waiting", priority: 0, archived: false, cancel: false };
      const claim = {
        claimed_by: String(other),
        fence: "1",
        log: null,
        patches: null,
        taken: null,
      };
      return {
        rows: ids.map((id) => ({ id: String(id), ...row, ...claim, document: document(id) })),
      };
    },
  } as unknown as pg.Client;
  const ahead = new JobsAhead();
  await ahead.read(client);
  const start: StepStart = {
    ...{ now: 0, revision, serial: 9, live: 9, settings: null, rules: false, fence: 1 },
    mark: null,
    ...{ dead: null, fenced: null, jobs: steps, all: false },
  };
  const { jobs } = await newsOf(client, start, { known: new KnownJobs(own), ahead }, []);
  return { jobs, asked };
}

const queued = (id: number): NewsRow => [id, "queued", false, null, null, false];
const claimed = (id: number): NewsRow => [id, "waiting", false, other, 1, false];

test("jobs that were read ahead are not read again, and each has its own document and priority", async () => {
  const read = bundle(5, [document(1), document(2), document(3, { depends: [[1, ["success"]]] })]);
  const { jobs, asked } = await newsAfter(read, [[queued(1), queued(2), queued(3)]], 5);
  expect(asked).toEqual([]);
  expect(jobs.map(({ id, undecoded }) => [id, undecoded?.priority, undecoded?.isPlain])).toEqual([
    [1, 10, true],
    [2, 20, true],
    [3, 30, false],
  ]);
  expect(jobs.map(({ undecoded }) => undecoded?.decoded().opcodes[0]?.input)).toMatchObject([
    { comment: "job 1" },
    { comment: "job 2" },
    { comment: "job 3", depends: [[1, ["success"]]] },
  ]);
});

test.each([
  { why: "claimed", last: claimed(2), wanted: { worker: other, fence: 1 } },
  { why: "claimed and returned", last: queued(2), wanted: { worker: other, fence: 1 } },
])(
  "a job that has been $why by another worker since it was read ahead is read again",
  async (given) => {
    const steps = [[queued(1), queued(2)], [claimed(2)], [given.last]];
    const { jobs, asked } = await newsAfter(bundle(5, [document(1), document(2)]), steps, 7);
    expect(asked).toEqual([[2]]);
    expect(jobs.map(({ id, claim }) => [id, claim])).toEqual([
      [1, null],
      [2, given.wanted],
    ]);
  },
);
