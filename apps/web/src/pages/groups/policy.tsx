/** Instance policy of a group: permitted sizes, and ratios. */
import { Facts } from "../../parts/facts.js";
import type { Parameters } from "../../parts/parameter-table.js";
import { Table } from "../../parts/table.js";
import { sizeText } from "../../words.js";

type Spec = Readonly<Record<string, number>>;

export interface Policy {
  readonly minmax: readonly { readonly min: Spec; readonly max: Spec }[];
  readonly std: Spec;
  readonly "disk-templates": readonly string[];
  readonly "vcpu-ratio": number;
  readonly "spindle-ratio": number;
}

const limits = [
  ["memory-size", "Memory", sizeText],
  ["cpu-count", "Virtual CPUs", String],
  ["disk-size", "Size of a disk", sizeText],
  ["disk-count", "Disks", String],
  ["nic-count", "Network interfaces", String],
  ["spindle-use", "Spindles", String],
] as const;

export function PolicyTable(props: { readonly policy: Policy; readonly own: Parameters }) {
  const { policy, own } = props;
  const isOwn = Object.keys(own).length > 0;
  const shown = (spec: Spec, key: string, text: (value: number) => string) =>
    spec[key] === undefined ? "–" : text(spec[key]);
  return (
    <>
      {policy.minmax.map(({ min, max }, at) => (
        <Table
          key={at}
          title={policy.minmax.length > 1 ? `Instance policy, range ${at + 1}` : "Instance policy"}
          note={<p>{isOwn ? "partly the group's own" : "from the cluster"}</p>}
          heads={["Limit", "Least", "Standard", "Most"]}
          rows={limits.map(([key, title, text]) => [
            title,
            shown(min, key, text),
            shown(policy.std, key, text),
            shown(max, key, text),
          ])}
        />
      ))}
      <Facts
        facts={[
          ["Virtual CPUs per CPU", String(policy["vcpu-ratio"])],
          ["Instances per spindle", String(policy["spindle-ratio"])],
          ["Disk templates", policy["disk-templates"].join(", ")],
        ]}
      />
    </>
  );
}
