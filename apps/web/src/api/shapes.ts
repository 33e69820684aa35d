/** Shapes of the answers that the page reads; a value that the server does not have is null. */

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

export interface NodeRow {
  readonly name: string;
  readonly group: string;
  readonly role: string;
  readonly mtotal: number | null;
  readonly mfree: number | null;
  readonly dtotal: number | null;
  readonly dfree: number | null;
  readonly ctotal: number | null;
  readonly pinst_cnt: number;
  readonly sinst_cnt: number;
}

export const nodeFields = [
  ...["name", "group", "role", "mtotal", "mfree", "dtotal", "dfree", "ctotal"],
  ...["pinst_cnt", "sinst_cnt"],
];

export interface InstanceRow {
  readonly uuid: string;
  readonly name: string;
  readonly status: string | null;
  readonly pnode: string | null;
  readonly snodes: readonly string[] | null;
  readonly disk_template: string | null;
  readonly "be/memory": number | null;
  readonly "be/vcpus": number | null;
  readonly disk_usage: number | null;
  readonly os: string | null;
  readonly "pnode.group": string | null;
  readonly tags: readonly string[] | null;
}

export const instanceFields = [
  ...["uuid", "name", "status", "pnode", "snodes", "disk_template", "be/memory", "be/vcpus"],
  ...["disk_usage", "os", "pnode.group", "tags"],
];

export type JobStatus = string;

export interface JobRow {
  readonly id: number;
  readonly status: JobStatus;
  readonly summary: readonly string[];
  readonly received_ts: readonly [number, number] | null;
  readonly end_ts: readonly [number, number] | null;
}

export const jobFields = ["id", "status", "summary", "received_ts", "end_ts"];

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

export interface Cause {
  readonly kind: string;
  readonly text: string;
}

/** Statuses of jobs that have ended. */
const ended: ReadonlySet<string> = new Set(["success", "error", "canceled"]);
export const hasEnded = (status: JobStatus): boolean => ended.has(status);
