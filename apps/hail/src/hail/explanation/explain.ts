/** Output of `--explain`; a separate module, so that it loads only with this option. */
import { type Cluster, explainRequest, type LoadOptions } from "@ganeti-ts/htools";
import type { AllocatorRequest } from "@ganeti-ts/protocol";
import type { HailSettings } from "../settings.js";
import { explanationText } from "./explanation-text.js";

/** Time limit (ms) of the search for suggestions; only the largest clusters reach it. */
const suggestionsMs = 3000;

/** @param colour for the text form */
export function explain(
  cluster: Cluster,
  request: AllocatorRequest,
  settings: HailSettings,
  load: LoadOptions,
  colour: boolean,
): string {
  const clock = { now: () => performance.now(), suggestionsMs };
  const explanation = explainRequest(cluster, request, { ...settings, load, clock });
  return settings.explain === "json"
    ? `${JSON.stringify(explanation)}\n`
    : explanationText(explanation, { colour });
}
