/**
 * Heat map of the nodes of a cluster: a tile per node, in it a row per state (before, after) with the used
 * fractions of memory, disk and CPUs; dark is full. A table below it shows the same figures.
 */
import { folded, tableMarkup } from "./data-table.js";
import { html, type Markup } from "./markup.js";
import type { NodeState, Share } from "./node-states.js";

export interface NodeMap {
  readonly kind: "nodes";
  readonly title: string;
  /** The same nodes in the same order in each; at least one. */
  readonly states: readonly { readonly name: string; readonly nodes: readonly NodeState[] }[];
}

/** The states of one node, in order. */
type History = readonly NodeState[];

const resources = [
  { key: "memory", letter: "M", name: "memory" },
  { key: "disk", letter: "D", name: "disk" },
  { key: "cpu", letter: "C", name: "CPUs" },
] as const;

export function nodeMap(map: NodeMap, id: string): Markup {
  const histories = (map.states[0]?.nodes ?? []).map((_, node) =>
    map.states.map(({ nodes }) => nodes[node] as NodeState),
  );
  const groups = [...new Set(histories.map(([node]) => node?.group ?? ""))];
  const stateNames = map.states.map(({ name }) => name);
  const tiles = groups.map((group) => {
    const members = histories.filter(([node]) => node?.group === group);
    const label = `Nodes of group ${group}`;
    const heading = groups.length > 1 ? html`<h3>${label} (${members.length})</h3>\n` : undefined;
    return html`${heading}<ul class="map" aria-label="${label}">
${members.map((history) => tile(history, stateNames))}</ul>
`;
  });
  return html`${legend(stateNames)}<div class="maps" id="${id}-map">
${tiles}</div>
${folded("The same as a table", nodeTable(map, histories))}`;
}

function legend(stateNames: readonly string[]): Markup {
  const levels = [0, 1, 2, 3, 4, 5].map(
    (level) => html`<span class="cell u${level}">${levelText[level]}</span>`,
  );
  const rows =
    stateNames.length > 1 ? `Rows of a tile, from the top: ${stateNames.join(", ")}. ` : "";
  return html`<div class="legend">
<p>${rows}Columns: used share in percent of <b>M</b>emory, <b>D</b>isk and <b>C</b>PUs (of the vCPUs allowed). Arrow keys go from node to node.</p>
<p class="scale"><span>used</span> ${levels} <span class="cell over">&gt; 100</span>
<span class="sample"><span class="badge n1">N+1</span> lacks memory for the failure of another node</span>
<span class="sample"><span class="badge off">off</span> offline or drained</span></p>
</div>
`;
}

const levelText = ["0", "20", "40", "60", "80", "95"];
const levelsFrom = [0.2, 0.4, 0.6, 0.8, 0.95];

/** The text of a tile is both its label for screen readers and its tooltip. */
function tile(history: History, stateNames: readonly string[]): Markup {
  const last = history[history.length - 1] as NodeState;
  const badges = [
    last.offline ? html`<span class="badge off">off</span>` : undefined,
    history.some(({ failsN1 }) => failsN1) ? html`<span class="badge n1">N+1</span>` : undefined,
  ];
  const rows = history.map(
    (node) => html`<span class="row">${resources.map(({ key }) => cell(node[key]))}</span>`,
  );
  const sentences = history.map((node, i) => sentence(node, stateNames[i] ?? ""));
  const kind = last.offline ? "tile away" : "tile";
  return html`<li class="${kind}" tabindex="0" aria-label="${last.name}. ${sentences.join(" ")}"><span class="head"><span class="name">${last.name}</span>${badges}</span>${rows}<span class="tip" aria-hidden="true"><b>${last.name}</b>${sentences.map((text) => html`<span>${text}</span>`)}</span></li>
`;
}

function cell(share: Share): Markup {
  const used = usedShare(share);
  if (used === undefined) return html`<span class="cell none">–</span>`;
  if (used > 1) return html`<span class="cell over">${percent(used)}</span>`;
  const level = levelsFrom.filter((from) => used >= from).length;
  return html`<span class="cell u${level}">${percent(used)}</span>`;
}

/** Undefined if nothing is known about the node. */
const usedShare = ({ used, total }: Share): number | undefined =>
  total > 0 ? Math.max(0, used / total) : undefined;

const percent = (share: number): string => String(Math.round(share * 100));

function sentence(node: NodeState, state: string): string {
  const shares = resources.map(({ key, name }) => {
    const used = usedShare(node[key]);
    return used === undefined ? `${name} unknown` : `${name} ${percent(used)} %`;
  });
  const trouble = [node.offline ? "offline" : "", node.failsN1 ? "fails N+1" : ""].filter(Boolean);
  const count = `${node.primaries} primary and ${node.secondaries} secondary instances`;
  return `${state}: ${[...shares, count, ...trouble].join(", ")}.`;
}

function nodeTable({ title, states }: NodeMap, histories: readonly History[]): Markup {
  const columns = states.flatMap(({ name }) => {
    const prefix = states.length > 1 ? `${name}: ` : "";
    return ["memory %", "disk %", "CPU %", "primaries", "secondaries", "trouble"].map((header) => ({
      header: prefix + header,
      numeric: header !== "trouble",
    }));
  });
  const rows = histories.map((history) => [
    history[0]?.name ?? "",
    history[0]?.group ?? "",
    ...history.flatMap((node) => [
      ...resources.map(({ key }) => {
        const used = usedShare(node[key]);
        return used === undefined ? "" : percent(used);
      }),
      String(node.primaries),
      String(node.secondaries),
      [node.offline ? "offline" : "", node.failsN1 ? "N+1" : ""].filter(Boolean).join(", "),
    ]),
  ]);
  const names = ["node", "group"].map((header) => ({ header, numeric: false }));
  return tableMarkup({ kind: "table", title, columns: [...names, ...columns], rows });
}
