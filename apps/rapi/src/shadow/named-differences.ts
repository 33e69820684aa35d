/** nameOf: reasons for which answers differ on purpose. */
import type { Difference } from "./comparison.js";

interface Named {
  readonly resource: RegExp;
  readonly at: RegExp;
  readonly why: string;
  /** Further condition on the values. */
  readonly when?: (difference: Difference) => boolean;
}

const onlyOurs = ({ original }: Difference): boolean => original === undefined;

/** Apart by less than this (s), times are equal. */
const microseconds = 2e-6;

/** See also docs/differences.md of this app. */
const named: readonly Named[] = [
  {
    resource: /^\/2\/info$/,
    at: /^\.default_iallocators$/,
    why: "lists of allocators are an addition of this server",
  },
  {
    resource: /^\/2\/info$/,
    at: /^\.note$/,
    why: "says that this is a shadow",
  },
  {
    resource: /^\/2\/info$/,
    at: /^\.vcs_version$/,
    why: "names the program",
  },
  {
    resource: /^\/2\/features$/,
    at: /^\[(job-filters|uuid-addressing|instance-repair|opcode-jobs|forthcoming-instances)\]$/,
    why: "features of this server",
  },
  {
    resource: /^\/2\/instances/,
    at: /(^|\])\.forthcoming$/,
    why: "Ganeti's remote API does not show reservations",
    when: onlyOurs,
  },
  {
    resource: /^\/2\/instances$/,
    at: /\]\.name$/,
    why: "instances are listed with their names, because a reservation need not have one",
    when: onlyOurs,
  },
  {
    resource: /^\/2\/filters$/,
    at: /\]\.id$/,
    why: "rules are listed with their id",
    when: onlyOurs,
  },
  {
    resource: /^\/2\/groups/,
    at: /\.diskparams\.(plain\.stripe_size|rbd\.user-id)$/,
    why: "parameters that later versions have added are shown with their defaults",
    when: onlyOurs,
  },
  {
    resource: /^\/2\/\w+\/[^/]+\/(tags|role)$/,
    at: /^$/,
    why: "the object has gone since it was listed: Ganeti answers 500, this server 404",
    when: ({ original, ours }) => original === 500 && ours === 404,
  },
  {
    resource: /^\/2\/jobs/,
    at: /(^|\])\.ops\[/,
    why: "Ganeti omits parameters of opcodes that have no value",
    when: ({ original, ours }) => original === undefined && ours === null,
  },
  {
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
