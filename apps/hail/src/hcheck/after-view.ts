/** Effect that balancing would have, shown below the view of the current cluster. */
import { type Cluster, formatFixed } from "@ganeti-ts/htools";
import { type GroupHealth, isHealthy } from "../health.js";
import type { Terminal } from "../ports.js";
import { painter } from "../printing/paint.js";
import { troubles } from "../view/troubles.js";
import type { HcheckSettings } from "./settings.js";
import type { Outcome } from "./text.js";

/** @param cluster the cluster after balancing, if balancing was simulated */
export function afterLines(
  cluster: Cluster,
  { before, after, simulates }: Outcome,
  { simulation }: HcheckSettings,
  terminal: Terminal | undefined,
): string {
  const paint = painter(terminal?.colour ?? false);
  if (isHealthy(before)) return `\n${paint("good", "The cluster is healthy.")}\n`;
  if (!simulation) {
    return `\n${paint("bad", "The cluster is not healthy; whether balancing would help was not tried.")}\n`;
  }
  if (!simulates) throw new Error("a cluster that is not healthy was not balanced");
  const lines = after.flatMap((health, at) => {
    const { name } = cluster.data.groups[health.group] as { readonly name: string };
    const left = troubles(cluster, health).map((line) => paint("bad", `  ! ${line}`));
    const scores = [before[at] as GroupHealth, health].map(({ score }) => formatFixed(score, 8));
    const verdict = left.length > 0 ? "would still have" : paint("good", "nothing would be wrong");
    return [`  Group ${name}: score ${scores.join(" to ")}; ${verdict}`, ...left];
  });
  return `\n${paint("heading", "After balancing")}\n${lines.join("\n")}\n`;
}
