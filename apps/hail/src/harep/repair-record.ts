/**
 * Repair records, which harep keeps in tags of the instance:
 *
 *     ganeti:watcher:autorepair:pending:TYPE:ID:TIME:JOBS
 *     ganeti:watcher:autorepair:result:TYPE:ID:TIME:RESULT:JOBS
 *
 * TIME is in seconds since the epoch; job ids are joined by `+`.
 */
import { type JobId, readJobId } from "@ganeti-ts/protocol";
import { type RepairType, repairTagPrefix, repairTypes, secondsIn } from "./repair-policy.js";

/** If a repair has several results, the later one in this list takes precedence. */
export const repairResults = ["enoperm", "success", "failure"] as const;
export type RepairResult = (typeof repairResults)[number];

export interface RepairRecord {
  readonly type: RepairType;
  readonly id: string;
  readonly seconds: number;
  readonly jobs: readonly JobId[];
  /** Undefined while it is pending. */
  readonly result: RepairResult | undefined;
  readonly tag: string;
}

/** The record together with the tag that stores it. */
export function tagged(record: Omit<RepairRecord, "tag">): RepairRecord {
  const { type, id, seconds, jobs, result } = record;
  const middle = result === undefined ? [] : [result];
  const fields = [type, id, seconds, ...middle, jobs.join("+")];
  const kind = result === undefined ? "pending" : "result";
  return { ...record, tag: `${repairTagPrefix}${kind}:${fields.join(":")}` };
}

/** Undefined for tags of other kinds, and for malformed ones. */
export function readRecord(tag: string): RepairRecord | undefined {
  const [kind, ...fields] = tag.startsWith(repairTagPrefix)
    ? tag.slice(repairTagPrefix.length).split(":")
    : [];
  if (kind === "pending" && fields.length === 4) {
    const [type, id, time, jobs] = fields as [string, string, string, string];
    return recordOf(tag, { type, id, time, jobs }, undefined);
  }
  if (kind === "result" && fields.length === 5) {
    const [type, id, time, outcome, jobs] = fields as [string, string, string, string, string];
    const result = repairResults.find((known) => known === outcome);
    return result && recordOf(tag, { type, id, time, jobs }, result);
  }
  return undefined;
}

/** Parts of a tag, as texts. */
interface Parts {
  readonly type: string;
  readonly id: string;
  readonly time: string;
  readonly jobs: string;
}

function recordOf(
  tag: string,
  parts: Parts,
  result: RepairResult | undefined,
): RepairRecord | undefined {
  const { id } = parts;
  const type = repairTypes.find((known) => known === parts.type);
  const seconds = secondsIn(parts.time);
  const jobs = parts.jobs === "" ? [] : parts.jobs.split("+").map(readJobId);
  if (type === undefined || seconds === undefined) return undefined;
  return jobs.every((job) => job !== undefined)
    ? { type, id, seconds, jobs, result, tag }
    : undefined;
}
