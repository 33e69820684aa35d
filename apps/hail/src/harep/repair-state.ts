/** State of an instance's repair, derived from its tags. */
import { DataError } from "@ganeti-ts/htools";
import { quoted } from "@ganeti-ts/protocol";
import {
  type RepairRecord,
  type RepairResult,
  readRecord,
  repairResults,
} from "./repair-record.js";

export const stateNames = {
  healthy: "Healthy",
  needed: "Needs repair",
  pending: "Pending repair",
  failed: "Failure",
} as const;
export type StateName = keyof typeof stateNames;

export interface RepairState {
  readonly name: StateName;
  /** The record this state was derived from; undefined if there was no repair yet. */
  readonly record: RepairRecord | undefined;
  /** Tags that the current state has superseded. */
  readonly outdated: readonly string[];
}

/**
 * Tags that a new state supersedes: the tag of `state` itself, and superseded tags it has not removed yet.
 */
export const outdatedBy = ({ record, outdated }: RepairState): readonly string[] =>
  record === undefined ? outdated : [record.tag, ...outdated];

/**
 * Combines all records of an instance, repair by repair from the oldest: a failure is final, a success or a
 * refusal is replaced by later records, and a pending repair must be the last. Throws a DataError if it is
 * not. Source: Ganeti, HTools/Program/Harep.hs, `setInitialState`.
 */
export function initialState(instance: string, tags: readonly string[]): RepairState {
  const records = tags.flatMap((tag) => readRecord(tag) ?? []);
  const ids = [...new Set(records.map(({ id }) => id))].toSorted(byCodePoint);
  const repairs = ids
    .map((id) => records.filter((record) => record.id === id))
    .toSorted((a, b) => oldest(a) - oldest(b));
  let state: RepairState = { name: "healthy", record: undefined, outdated: [] };
  for (const members of repairs) {
    const record = members.toSorted(byWeight).at(-1) as RepairRecord;
    if (state.name === "failed") return state;
    if (state.name === "pending") {
      const [newer, older] = [record.tag, state.record?.tag ?? ""].map(quoted);
      throw new DataError(
        `when parsing auto-repair tags: An unfinished repair was found in instance ${instance}: ` +
          `found tag ${newer}, but older pending tag ${older}exists.`,
      );
    }
    state = { name: nameOf(record.result), record, outdated: outdatedBy(state) };
  }
  return state;
}

function nameOf(result: RepairResult | undefined): StateName {
  if (result === undefined) return "pending";
  return result === "failure" ? "failed" : "healthy";
}

const oldest = (records: readonly RepairRecord[]): number =>
  Math.min(...records.map(({ seconds }) => seconds));

/** Sorts pending before any result, results in their order, then by time. */
function byWeight(a: RepairRecord, b: RepairRecord): number {
  const weight = ({ result }: RepairRecord) =>
    result === undefined ? -1 : repairResults.indexOf(result);
  return weight(a) - weight(b) || a.seconds - b.seconds;
}

const byCodePoint = (a: string, b: string): number =>
  Buffer.compare(Buffer.from(a), Buffer.from(b));
