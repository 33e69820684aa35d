/** nameOf: intended differences of answers, with their reasons. */
import { isJsonObject, type Json } from "@ganeti-ts/protocol";
import type { Difference } from "./comparison.js";

interface Named {
  /** First cell of its row in docs/differences.md, below "Answers that a shadow compares". */
  readonly row: string;
  readonly resource: RegExp;
  readonly at: RegExp;
  readonly why: string;
  /** Further condition on the values. */
  readonly when?: (difference: Difference) => boolean;
}

const onlyOurs = ({ original }: Difference): boolean => original === undefined;

/** Times that differ by less than this (s) are equal. */
const microseconds = 2e-6;

/** Whether a value consists only of marks in place of secrets. */
const isRedacted = (value: Json | undefined): boolean =>
  isJsonObject(value) ? Object.values(value).every(isRedacted) : value === "<redacted>";

const moreKeys = "`GET /2/filters`, `/2/instances`, `/2/info`, `/2/groups`";

/** Every row of the documentation has a rule, and every rule a row: a test reads both. */
export const named: readonly Named[] = [
  {
    row: moreKeys,
    resource: /^\/2\/info$/,
    at: /^\.default_iallocators$/,
    why: "lists of allocators are an addition of this server",
  },
  {
    row: "`note` of `/2/info`",
    resource: /^\/2\/info$/,
    at: /^\.note$/,
    why: "says that this is a shadow",
  },
  {
    row: "`vcs_version` of `/2/info`",
    resource: /^\/2\/info$/,
    at: /^\.vcs_version$/,
    why: "names the program",
  },
  {
    row: "`GET /2/features`",
    resource: /^\/2\/features$/,
    at: /^\[(job-filters|uuid-addressing|instance-repair|opcode-jobs|forthcoming-instances)\]$/,
    why: "features of this server",
  },
  {
    row: moreKeys,
    resource: /^\/2\/instances/,
    at: /(^|\])\.forthcoming$/,
    why: "Ganeti's remote API does not show reservations",
    when: onlyOurs,
  },
  {
    row: "lists",
    resource: /^\/2\/instances$/,
    at: /\]\.name$/,
    why: "instances are listed with their names, because a reservation need not have one",
    when: onlyOurs,
  },
  {
    row: "lists",
    resource: /^\/2\/filters$/,
    at: /\]\.id$/,
    why: "rules are listed with their id",
    when: onlyOurs,
  },
  {
    row: moreKeys,
    resource: /^\/2\/(groups|info)/,
    at: /\.diskparams\.(plain\.stripe_size|rbd\.user-id)$/,
    why: "parameters that later versions have added are shown with their defaults",
    when: onlyOurs,
  },
  {
    row: "`role`, `tags`, `console` of an unknown object, queries that name it",
    resource: /^\/2\/\w+\/[^/]+\/(tags|role)$/,
    at: /^$/,
    why: "the object has gone since it was listed: Ganeti answers 500, this server 404",
    when: ({ original, ours }) => original === 500 && ours === 404,
  },
  {
    row: "parameters without a value in a job's opcodes",
    resource: /^\/2\/jobs/,
    at: /(^|\])\.ops\[/,
    why: "Ganeti omits parameters of opcodes that have no value",
    when: ({ original, ours }) => original === undefined && ours === null,
  },
  {
    row: "`osparams_private`, `osparams_secret` in a job's opcodes",
    resource: /^\/2\/jobs/,
    at: /(^|\])\.ops\[.*\.osparams_(private|secret)(\.|$)/,
    why: "secrets of jobs are redacted, where Ganeti omits them",
    when: ({ original, ours }) => (original ?? null) === null && isRedacted(ours),
  },
  {
    row: "`ctime`, `mtime` of objects",
    resource: /^\/2\//,
    at: /(^|\])\.[cm]time$/,
    why: "config.data has times to the microsecond",
    when: ({ original, ours }) =>
      typeof original === "number" &&
      typeof ours === "number" &&
      Math.abs(original - ours) < microseconds,
  },
];

/** Why the difference is wanted; undefined if it is not. */
export const nameOf = (difference: Difference): string | undefined =>
  named.find(
    ({ resource, at, when = () => true }) =>
      resource.test(difference.resource) && at.test(difference.at) && when(difference),
  )?.why;
