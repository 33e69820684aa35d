/**
 * hcheck: checks whether a cluster is healthy, and whether balancing would make it healthy. Source: Ganeti,
 * HTools/Program/Hcheck.hs.
 */
import type { Cluster } from "@ganeti-ts/htools";
import { type GroupHealth, groupHealths, isHealthy } from "../health.js";
import { changeAskedNodes, loadSource } from "../loading/load-source.js";
import type { Ports } from "../ports.js";
import { jsonText } from "../printing/json.js";
import { print } from "../program.js";
import type { HcheckSettings } from "./settings.js";
import { simulateBalancing } from "./simulate.js";
import { finalText, initialText } from "./text.js";

/** Returns 1 if the cluster is not healthy, even if balancing would fix it; 0 if health is not checked. */
export async function runHcheck(
  settings: HcheckSettings,
  _operands: readonly string[],
  ports: Ports,
): Promise<number> {
  const cluster = await loadSource(settings, ports);
  changeAskedNodes(cluster, settings);
  const before = groupHealths(cluster, settings.capacityChecks);
  const simulates = settings.simulation && !isHealthy(before);
  const hasText = !settings.json && !settings.view;
  if (hasText) print(initialText(cluster, before, settings), ports);
  if (settings.view && !settings.json) print(await viewText(cluster, before, ports), ports);
  let after: readonly GroupHealth[] = before;
  if (simulates) {
    await simulateBalancing(cluster, settings, ports);
    after = groupHealths(cluster, settings.capacityChecks);
  }
  const outcome = { before, after, simulates };
  if (settings.json) {
    const { hcheckReport } = await import("./report.js");
    print(jsonText(hcheckReport(cluster, outcome)), ports);
  } else if (settings.view) {
    const { afterLines } = await import("./after-view.js");
    print(afterLines(cluster, outcome, settings, await ports.terminal("stdout")), ports);
  } else print(finalText(cluster, outcome, settings), ports);
  return simulates ? 1 : 0;
}

async function viewText(
  cluster: Cluster,
  healths: readonly GroupHealth[],
  ports: Ports,
): Promise<string> {
  const { clusterView } = await import("../view/cluster-view.js");
  return clusterView(cluster, healths, await ports.terminal("stdout"));
}
