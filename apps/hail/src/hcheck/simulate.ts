/** Balances the cluster, group by group, as hbal would. */
import { balance, type Cluster, groupView, optimum, scoreOf } from "@ganeti-ts/htools";
import type { Ports } from "../ports.js";
import { progress } from "../progress.js";
import type { HcheckSettings } from "./settings.js";

/** Changes the cluster. */
export async function simulateBalancing(
  cluster: Cluster,
  settings: HcheckSettings,
  ports: Ports,
): Promise<void> {
  const shown = await progress(ports);
  for (const [group, { name }] of cluster.data.groups.entries()) {
    const view = groupView(cluster, group);
    const least = optimum(cluster, view.nodes) + settings.minScore;
    if (view.nodes.length === 0 || scoreOf(cluster, view.nodes) < least) continue;
    const steps = balance(
      cluster,
      view,
      { ...settings, stepsMax: settings.lengthMax },
      {
        onProgress: ({ steps, score }) =>
          shown.tell(`Balancing group ${name}: step ${steps + 1}, score ${score.toFixed(8)}`),
      },
    );
    while (!steps.next().done);
  }
  shown.clear();
}
