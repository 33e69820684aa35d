/** Capacity that is left for instances of the policy's standard size, and the terms of a group's score. */
import { useEffect, useState } from "preact/hooks";
import { type Capacity, capacityFor } from "../../api/explanation.js";
import { useEpoch } from "../../api/live.js";
import { sizeText } from "../../words.js";

export interface Info {
  readonly name: string;
  readonly master: string;
  readonly enabled_disk_templates: readonly string[];
  readonly ipolicy: { readonly std: Readonly<Record<string, number>> };
}

export interface Room {
  readonly capacity?: Capacity;
  readonly text: string;
  readonly problem?: string;
  /** Asks for what is not computed unasked. */
  readonly ask?: () => void;
}

/** Clusters with more nodes are computed when somebody asks, because every pair of nodes is examined. */
const nodesMax = 200;

/** Number up to which instances are counted. */
const countMax = 500;

/** Shortest time (ms) between two computations. */
const pauseMs = 30_000;

function questionOf({ ipolicy: { std }, enabled_disk_templates: [template] }: Info) {
  const [memory = 128, disk = 1024, vcpus = 1] = [
    ...[std["memory-size"], std["disk-size"], std["cpu-count"]],
  ];
  const text = `${sizeText(memory)} memory, ${vcpus} CPU, ${sizeText(disk)} disk (${template})`;
  const disks = template === "diskless" ? [] : [{ size: disk }];
  return {
    question: { beparams: { memory, vcpus }, disk_template: template, disks, nics: [{}] },
    text,
  };
}

/** Computed again after changes of the cluster, but not more often than in half a minute. */
export function useRoom(info: Info | undefined, nodeCount: number | undefined): Room {
  const [state, setState] = useState<Room>({ text: "" });
  const [isAsked, setAsked] = useState(false);
  const epoch = useEpoch("config");
  const isWanted = isAsked || (nodeCount !== undefined && nodeCount <= nodesMax);
  const isReady = info !== undefined && isWanted;
  useEffect(() => {
    if (!isReady) return;
    const gone = new AbortController();
    const compute = async () => {
      const { question, text } = questionOf(info);
      try {
        setState({ text });
        setState({ text, capacity: await capacityFor(question, countMax, gone.signal) });
      } catch (error) {
        if (gone.signal.aborted) return;
        setState({ text, problem: (error as Error).message });
      }
    };
    const timer = setTimeout(() => void compute(), epoch === 0 ? 0 : pauseMs);
    return () => {
      clearTimeout(timer);
      // A computation that has begun may end: its answer is better than none.
      if (epoch === 0) gone.abort();
    };
  }, [isReady, epoch]);
  return isWanted || nodeCount === undefined ? state : { ...state, ask: () => setAsked(true) };
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
          <p class="small">{text}, placed by hail with N+1 kept</p>
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
