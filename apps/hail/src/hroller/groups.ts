/** Output of reboot groups, as text and as a document. */
import type { Cluster, Colouring, RebootGroup, RebootMove } from "@ganeti-ts/htools";
import type { HrollerReport } from "@ganeti-ts/protocol";
import type { HrollerSettings } from "./settings.js";

/**
 * Text in Ganeti's format: a line for each group, or with `--one-step-only` for each node of the first group.
 */
export function groupsText(
  cluster: Cluster,
  groups: readonly RebootGroup[],
  settings: HrollerSettings,
): string {
  const { headers, oneStepOnly, printMoves } = settings;
  const header = oneStepOnly ? "'First Reboot Group'\n" : "'Node Reboot Groups'\n";
  const texts = shown(groups, settings).map(({ nodes, moves }) => {
    const names = nodes.map((node) => nodeName(cluster, node));
    const lines = oneStepOnly ? names : [names.join(",")];
    const moveLines = printMoves ? moves.map((move) => moveLine(cluster, move)) : [];
    return [...lines, ...moveLines].map((line) => `${line}\n`).join("");
  });
  return `${headers ? header : ""}${texts.join("")}`;
}

const moveLine = (
  cluster: Cluster,
  { index, primaryNamed, secondaryNamed }: RebootMove,
): string => {
  const words = [instanceName(cluster, index), nodeName(cluster, primaryNamed)];
  if (secondaryNamed !== undefined) words.push(nodeName(cluster, secondaryNamed));
  return `  ${words.join(" ")}`;
};

export function groupsReport(
  cluster: Cluster,
  groups: readonly RebootGroup[],
  all: readonly Colouring[],
  chosen: Colouring,
  settings: HrollerSettings,
): HrollerReport {
  return {
    groups: shown(groups, settings).map(({ nodes, moves }) => ({
      nodes: nodes.map((node) => nodeName(cluster, node)),
      moves: moves.map(({ index, primary, secondary }) => ({
        instance: instanceName(cluster, index),
        primary: nodeName(cluster, primary),
        secondary: secondary === undefined ? null : nodeName(cluster, secondary),
      })),
    })),
    colourings: all.map((colouring) => ({
      algorithm: colouring.name,
      sizes: colouring.classes.map(({ length }) => length),
      chosen: colouring === chosen,
    })),
  };
}

const shown = (groups: readonly RebootGroup[], { oneStepOnly }: HrollerSettings) =>
  oneStepOnly ? groups.slice(0, 1) : groups;

const nodeName = ({ data }: Cluster, node: number): string => data.nodes[node]?.name as string;

const instanceName = ({ data }: Cluster, index: number): string =>
  data.instances[index]?.name as string;
