// Differences from Ganeti in reading configurations; the text of each is that of its row in docs/differences.md.
import type { Mutation } from "./mutations.js";

export interface Difference extends Pick<Mutation, "sample" | "shape" | "change"> {
  readonly kind: "refused here" | "taken here" | "other value";
  /** Ganeti's refusal; for another value the place and both values. */
  readonly ganeti: string;
  /** Our refusal. */
  readonly ours: string;
}

/** The row of a difference in the table of the documentation, and how it is recognised. */
export const namedDifferences: readonly {
  readonly row: string;
  readonly kind: Difference["kind"];
  readonly applies: (difference: Difference) => boolean;
}[] = [
  {
    row: "`config.data`: fractions and integers beyond 2^53",
    kind: "refused here",
    applies: ({ change }) => change === "fraction" || change === "huge",
  },
  {
    row: "`config.data`: parameters of hypervisors, disks and states that are lists or objects",
    kind: "refused here",
    applies: ({ shape }) =>
      /(hvparams|os_hvp|diskparams|state_static|iallocator_params)\//.test(`${shape}/`),
  },
  {
    row: "`config.data`: values of another type where Ganeti does not look at it",
    kind: "refused here",
    applies: ({ change, shape }) =>
      change === "another container" || /(^|\/)(mtime|forthcoming)$/.test(shape),
  },
  {
    row: "`config.data`: objects under another key than their UUID",
    kind: "refused here",
    applies: ({ shape }) => shape.endsWith("*/uuid"),
  },
  {
    row: "`config.data`: no `instances`, or null",
    kind: "refused here",
    applies: ({ shape }) => shape === "instances",
  },
  {
    row: "`config.data`: missing and null values that Ganeti's tool or daemon needs",
    kind: "taken here",
    applies: ({ change }) => change === "missing" || change === "null" || change === "empty",
  },
  {
    row: "`config.data`: missing and null values that Ganeti's tool or daemon needs",
    kind: "other value",
    applies: ({ shape }) => shape === "disks/*/children/*/nodes",
  },
  {
    row: "`config.data`: the form of addresses, names, identifiers of devices and values of OS parameters",
    kind: "taken here",
    applies: ({ shape }) =>
      /(logical_id|physical_id|gateway6?|network6?|name|mac_prefix|ssh_key_type|primary_ip|secondary_ip|master_ip)(\/\*)*$/.test(
        shape,
      ) || /osparams|disk-templates\/\*|instances\/\*\/disks\/\*$/.test(shape),
  },
  {
    row: "`config.data`: `beparams` and `nicparams` without `default`",
    kind: "other value",
    applies: ({ shape }) => /^cluster\/(be|nic)params/.test(shape),
  },
  {
    row: "`config.data`: connections of groups to networks",
    kind: "other value",
    applies: ({ shape }) => shape.startsWith("nodegroups/*/networks"),
  },
  {
    row: "`config.data`: objects under another key than their UUID",
    kind: "other value",
    applies: ({ shape }) => shape.endsWith("*/uuid"),
  },
  {
    row: "`config.data`: null and absent",
    kind: "other value",
    applies: ({ change }) => change === "null",
  },
  {
    row: "`config.data`: forthcoming instances",
    kind: "other value",
    applies: ({ shape }) => shape === "instances/*/disks_active",
  },
];

/** The row that names a difference; `undefined` if none does. */
export const rowOf = (difference: Difference): string | undefined =>
  namedDifferences.find(({ kind, applies }) => kind === difference.kind && applies(difference))
    ?.row;
