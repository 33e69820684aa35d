/**
 * hroller: computes groups of nodes that can be rebooted together. Source: Ganeti, HTools/Program/Hroller.hs.
 */
import {
  type Cluster,
  colouringStatistics,
  colourings,
  DataError,
  fewestColours,
  graphText,
  nodesToReboot,
  rebootGraph,
  rebootGroups,
  writeClusterText,
} from "@ganeti-ts/htools";
import { quotedList } from "@ganeti-ts/protocol";
import { changeAskedNodes, loadSource } from "../loading/load-source.js";
import type { Ports } from "../ports.js";
import { jsonText } from "../printing/json.js";
import { saveState } from "../printing/saved-state.js";
import { print } from "../program.js";
import { progress } from "../progress.js";
import { groupsReport, groupsText } from "./groups.js";
import type { HrollerSettings } from "./settings.js";

export async function runHroller(
  settings: HrollerSettings,
  _operands: readonly string[],
  ports: Ports,
): Promise<number> {
  const { verbosity, json } = settings;
  const cluster = await loadSource(settings, ports);
  checkMaster(cluster, settings, ports);
  const before = settings.save === undefined ? "" : writeClusterText(cluster);
  changeAskedNodes(cluster, settings);
  saveState("original", "before hroller run", before, settings, ports);

  const selected = selectNodes(cluster, settings);
  const graph = rebootGraph(cluster, selected, settings.offlineMaintenance);
  if (verbosity > 2 && !json) print(`Node Graph: ${graphText(graph)}\n`, ports);
  const all = colourings(graph);
  const chosen = fewestColours(all);
  const { tell, clear } = await progress(ports);
  const onProgress = (done: number, total: number) =>
    tell(`hroller: ${done} of ${total} nodes can be emptied`);
  const groups = rebootGroups(cluster, chosen.classes, selected, settings, { onProgress });
  clear();
  if (json) {
    print(jsonText(groupsReport(cluster, groups, all, chosen, settings)), ports);
    return 0;
  }
  if (verbosity > 1) print(`${colouringStatistics(all)}\n`, ports);
  print(groupsText(cluster, groups, settings), ports);
  return 0;
}

/** Requires exactly one master; with `--force` a missing one is accepted. */
function checkMaster({ data }: Cluster, { force }: HrollerSettings, { stderr }: Ports): void {
  const masters = data.nodes.flatMap(({ master, name }) => (master ? [name] : []));
  if (masters.length > 1) {
    throw new DataError(`Found more than one master node: ${quotedList(masters)}`);
  }
  if (masters.length === 1) return;
  const missing = "No master node found (maybe not supported by backend).";
  if (!force) throw new DataError(missing);
  stderr(`Warning: ${missing}\n`);
}

function selectNodes(cluster: Cluster, settings: HrollerSettings): number[] {
  const { skipNonRedundant, nodeTags, group } = settings;
  return nodesToReboot(cluster, {
    skipNonRedundant,
    ...(nodeTags && { tags: nodeTags }),
    ...(group !== undefined && { group: groupNamed(cluster, group) }),
  });
}

/** Finds a group by name or UUID; exactly one must match. */
function groupNamed({ data }: Cluster, wanted: string): number {
  const [found, ...others] = data.groups.flatMap(({ name, uuid }, index) =>
    name === wanted || uuid === wanted ? [index] : [],
  );
  if (found === undefined || others.length > 0) throw new DataError("Cannot find target group.");
  return found;
}
