/** Shapes of the answers that the page reads; a value that the server does not have is null. */
import {
  lists,
  listsOrNull,
  numbers,
  numbersOrNull,
  texts,
  textsOrNull,
  timesOrNull,
} from "./fields.js";

interface Rights {
  readonly read: boolean;
  readonly write: boolean;
  readonly full: boolean;
}

export interface Me {
  readonly user: string;
  readonly rights: Rights;
  /** Path of the first script of the page that the server serves now; null if it serves none. */
  readonly page: string | null;
}

/** Arguments of a page that is loaded when it is opened. */
export interface PageProps {
  /** The part of the address after the page's own; empty if absent. */
  readonly name: string;
  readonly me: Me;
}

export const nodeFields = {
  ...texts("name", "group", "role"),
  ...numbersOrNull("mtotal", "mfree", "dtotal", "dfree", "ctotal"),
  ...numbers("pinst_cnt", "sinst_cnt"),
};
export type NodeRow = Readonly<typeof nodeFields>;

export const instanceFields = {
  ...texts("uuid", "name"),
  ...textsOrNull("status", "pnode", "disk_template", "os", "pnode.group"),
  ...numbersOrNull("be/memory", "be/vcpus", "disk_usage"),
  ...listsOrNull("snodes", "tags"),
};
export type InstanceRow = Readonly<typeof instanceFields>;

export type JobStatus = string;

export const jobFields = {
  ...numbers("id"),
  ...texts("status"),
  ...lists("summary"),
  ...timesOrNull("received_ts", "end_ts"),
};
export type JobRow = Readonly<typeof jobFields>;

/** `/2/jobs/ID`, of which all but the id is null for an unknown job. */
export interface Job {
  readonly id: number;
  readonly status: JobStatus | null;
  readonly summary: readonly string[] | null;
  readonly opstatus: readonly JobStatus[];
  readonly ops: readonly Readonly<Record<string, unknown>>[];
  readonly oplog: readonly (readonly (readonly [
    number,
    readonly [number, number],
    string,
    unknown,
  ])[])[];
  readonly opresult: readonly unknown[];
  readonly received_ts: readonly [number, number] | null;
  readonly start_ts: readonly [number, number] | null;
  readonly end_ts: readonly [number, number] | null;
}

/** Statuses of jobs that have ended. */
const ended: ReadonlySet<string> = new Set(["success", "error", "canceled"]);
export const hasEnded = (status: JobStatus): boolean => ended.has(status);
