/** What `--explain` prints; a module of its own, so that nothing of it is set up without the option. */
import { type Cluster, type ExplainOptions, explainRequest } from "@ganeti-ts/htools";
import type { AllocatorRequest } from "@ganeti-ts/protocol";
import { explanationText } from "./explanation-text.js";

export function explain(
  cluster: Cluster,
  request: AllocatorRequest,
  options: ExplainOptions,
  format: "text" | "json",
): string {
  const explanation = explainRequest(cluster, request, options);
  return format === "json" ? `${JSON.stringify(explanation)}\n` : explanationText(explanation);
}
