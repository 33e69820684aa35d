// Benchmark of answers, from a loaded message to the answer. Options:
//   --record     writes baseline.json; without it, what differs from it is shown
//   --hail       also runs the original, where it is installed, on up to 200 nodes, for the ratio
//   --only=TEXT  only series whose name contains it
import { answerRequest, loadCluster } from "@ganeti-ts/htools";
import { helpIfAsked } from "../../../tooling/bench.js";
import {
  benchmark,
  isAskedFor,
  type Measured,
  type Result,
  rounded,
  timesOf,
} from "./benchmark.js";
import { hailMs } from "./original.js";
import { allSeries, type Series } from "./series.js";

helpIfAsked("bench/requests.bench.ts");

interface Answered extends Result {
  /** The first one, with nothing warmed up by this series. */
  readonly firstMs: number;
}

benchmark("bench/baseline.json", allSeries, measure);

function measure(series: Series, nodes: number): Measured {
  const message = series.message(nodes);
  const options = { ignoreSoftErrors: false, capacityChecks: series.capacityChecks ?? true };
  const times = timesOf(() => {
    const start = performance.now();
    const { answer } = answerRequest(loadCluster(message.cluster), message.request, options);
    const ms = performance.now() - start;
    // The work happened.
    if (!answer.success || series.placed(answer) !== series.expected(message)) {
      throw new Error(`${series.name} on ${nodes} nodes: ${JSON.stringify(answer).slice(0, 300)}`);
    }
    return ms;
  });
  const [firstMs = 0] = times;
  const result: Answered = {
    series: series.name,
    nodes,
    ms: rounded(Math.min(...times)),
    firstMs: rounded(firstMs),
  };
  return { result, line: lineOf(result), beside: againstHail(series, result) };
}

function lineOf({ series, nodes, ms, firstMs }: Answered): string {
  const size = `${series.padEnd(28)}${String(nodes).padStart(5)} nodes`;
  return `${size}${String(ms).padStart(9)} ms (first ${firstMs})`;
}

function againstHail(series: Series, { nodes, ms }: Answered): string {
  if (!isAskedFor("--hail") || nodes > 200) return "";
  const theirs = hailMs(series.message(nodes), series.capacityChecks ?? true);
  if (typeof theirs === "string") return `, ${theirs}`;
  return `, hail ${rounded(theirs)} ms, ${(theirs / ms).toFixed(1)} times ours`;
}
