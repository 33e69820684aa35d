/** Free capacity for instances of the policy's standard size, and the terms of a group's score. */
import { useState } from "preact/hooks";
import { type Capacity, capacityFor } from "../../api/explanation.js";
import { useLive } from "../../api/live.js";
import { sizeText } from "../../words.js";

export interface Info {
  readonly name: string;
  readonly master: string;
  readonly enabled_disk_templates: readonly string[];
  readonly ipolicy: {
    readonly std: Readonly<
      Record<"memory-size" | "disk-size" | "cpu-count" | "spindle-use", number>
    >;
    readonly "disk-templates": readonly string[];
  };
}

export interface Room {
  readonly capacity?: Capacity;
  readonly text: string;
  readonly problem?: string;
  /** Starts the count on clusters where it does not start by itself. */
  readonly ask?: () => void;
}

/** Number of nodes above which the count starts only on request: with exclusion tags, it examines every pair of nodes. */
const nodesMax = 200;

/** Maximum number of instances counted. */
const countMax = 500;

/** Minimum time (ms) between the end of one count and the next. */
const restMs = 30_000;

/** The size that hspace counts in its standard mode. */
function standardOf({ ipolicy, enabled_disk_templates: enabled }: Info) {
  const { std, "disk-templates": allowed } = ipolicy;
  const template = allowed.find((one) => enabled.includes(one)) ?? enabled[0];
  const [memory, disk, vcpus] = [std["memory-size"], std["disk-size"], std["cpu-count"]];
  const question = {
    beparams: { memory, vcpus, spindle_use: std["spindle-use"] },
    disk_template: template,
    disks: template === "diskless" ? [] : [{ size: disk }],
    nics: [{}],
  };
  const cpus = vcpus === 1 ? "1 CPU" : `${vcpus} CPUs`;
  return {
    question,
    text: `${sizeText(memory)} memory, ${cpus}, ${sizeText(disk)} disk (${template})`,
  };
}

/** Hook: the free capacity, counted again after changes of the cluster, at most every half a minute. */
export function useRoom(info: Info | undefined, nodeCount: number | undefined): Room {
  const [isAsked, setAsked] = useState(false);
  const isWanted = isAsked || (nodeCount !== undefined && nodeCount <= nodesMax);
  const standard = info && standardOf(info);
  const question = isWanted ? standard?.question : undefined;
  const { value, problem } = useLive(
    `room ${JSON.stringify(question)}`,
    ["config"],
    async (signal) => question && capacityFor(question, countMax, signal),
    restMs,
  );
  return {
    text: standard?.text ?? "",
    ...(value && { capacity: value }),
    ...(problem !== undefined && { problem }),
    ...(nodeCount !== undefined && !isWanted && { ask: () => setAsked(true) }),
  };
}

export function RoomCard({ room }: { readonly room: Room }) {
  const { capacity, text, problem, ask } = room;
  const isMore = capacity?.figures.stop === "limit";
  return (
    <section class="card" aria-label="Capacity left">
      <h2>Capacity left</h2>
      {problem !== undefined ? (
        <p class="small">{problem}</p>
      ) : ask !== undefined ? (
        <p>
          <button type="button" onClick={ask}>
            Count the instances that still fit
          </button>
        </p>
      ) : (
        <>
          <p class="room">
            <strong>
              {capacity === undefined ? "…" : isMore ? `more than ${countMax}` : capacity.count}
            </strong>{" "}
            more instances of the standard size
          </p>
          <p class="small">
            {text}, placed by hail with N+1 kept. The standard size is a setting of the cluster:{" "}
            <code>gnt-cluster modify --ipolicy-std-specs</code>
          </p>
        </>
      )}
    </section>
  );
}

/** Terms smaller than this are not shown. */
const smallest = 0.0005;

/** The terms that make up a group's score, the largest first. */
export function Terms(props: { readonly terms: Readonly<Record<string, number>> | undefined }) {
  const terms = Object.entries(props.terms ?? {})
    .filter(([, value]) => Math.abs(value) >= smallest)
    .map(([term, value]) => ({ term, value }))
    .toSorted((a, b) => b.value - a.value);
  if (terms.length === 0) return null;
  const total = terms.reduce((sum, { value }) => sum + Math.abs(value), 0);
  return (
    <details>
      <summary>Terms of the score</summary>
      <ul class="terms card">
        {terms.map(({ term, value }) => (
          <li key={term}>
            <code>{term}</code>
            <span class="bar better">
              <i style={{ width: `${(Math.abs(value) / total) * 100}%` }} />
            </span>
            <span class="number">{value.toFixed(4)}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
