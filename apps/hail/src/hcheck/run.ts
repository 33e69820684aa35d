/**
 * hcheck: tells whether a cluster is healthy, and whether balancing would make it so.
 * Source: Ganeti, HTools/Program/Hcheck.hs.
 */
import { changeAskedNodes, loadSource } from "../loading/load-source.js";
import type { Ports } from "../ports.js";
import { print } from "../program.js";
import { type GroupHealth, groupHealths, isHealthy } from "./health.js";
import type { HcheckSettings } from "./settings.js";
import { simulateBalancing } from "./simulate.js";
import { finalText, initialText } from "./text.js";

/** Gives 1 if the cluster is not healthy, even if balancing would heal it; 0 if that is not looked at. */
export async function runHcheck(
  settings: HcheckSettings,
  _operands: readonly string[],
  ports: Ports,
): Promise<number> {
  const cluster = await loadSource(settings, ports);
  changeAskedNodes(cluster, settings);
  const before = groupHealths(cluster, settings.capacityChecks);
  const simulates = settings.simulation && !isHealthy(before);
  print(initialText(cluster, before, settings), ports);
  let after: readonly GroupHealth[] = before;
  if (simulates) {
    await simulateBalancing(cluster, settings, ports);
    after = groupHealths(cluster, settings.capacityChecks);
  }
  print(finalText(cluster, { before, after, simulates }, settings), ports);
  return simulates ? 1 : 0;
}
