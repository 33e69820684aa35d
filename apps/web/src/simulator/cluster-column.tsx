/** Column of a cluster: figures, and a tile for each node, marked if it differs from the other column. */
import { scarceFrom } from "../parts/meter.js";
import { sizeText } from "../words.js";
import type { ClusterState, GroupState, NodeState } from "./figures.js";

/** @param other the cluster of the other column: nodes that differ from it are marked */
export function ClusterColumn(props: {
  readonly state: ClusterState;
  readonly other: ClusterState;
  readonly onNode: (name: string) => void;
}) {
  const { state, other, onNode } = props;
  const others = new Map(
    other.groups.flatMap(({ nodes }) => nodes).map((node) => [node.name, node]),
  );
  const instances = state.instanceCount - other.instanceCount;
  return (
    <div class="column">
      <ul class="figures">
        <li>
          <strong>{state.nodeCount}</strong> nodes
        </li>
        <li>
          <strong>{state.instanceCount}</strong> instances
          {instances > 0 && <em> +{instances}</em>}
        </li>
        <li>
          <strong class={state.failing > 0 ? "failing" : ""}>{state.failing}</strong> nodes fail N+1
        </li>
      </ul>
      {state.groups.map((group) => (
        <GroupTiles key={group.name} group={group} others={others} onNode={onNode} />
      ))}
    </div>
  );
}

function GroupTiles(props: {
  readonly group: GroupState;
  readonly others: ReadonlyMap<string, NodeState>;
  readonly onNode: (name: string) => void;
}) {
  const { group, others, onNode } = props;
  return (
    <section aria-label={`Node group ${group.name}`}>
      <div class="heading">
        <h3>{group.name}</h3>
        <p>
          <span title="As hbal computes it: lower is better">score {group.score.toFixed(4)}</span>
          <span>{group.allocationPolicy.replace("_", " ")}</span>
        </p>
      </div>
      <div class="nodes">
        {group.nodes.map((node) => (
          <NodeTile key={node.name} node={node} other={others.get(node.name)} onNode={onNode} />
        ))}
      </div>
    </section>
  );
}

const isChanged = (node: NodeState, other: NodeState | undefined): boolean =>
  other === undefined ||
  node.offline !== other.offline ||
  node.memoryUsed !== other.memoryUsed ||
  node.diskUsed !== other.diskUsed ||
  node.primaries !== other.primaries ||
  node.secondaries !== other.secondaries;

function NodeTile(props: {
  readonly node: NodeState;
  readonly other: NodeState | undefined;
  readonly onNode: (name: string) => void;
}) {
  const { node, other, onNode } = props;
  const marks = [
    node.offline && "down",
    node.failsN1 && "fails N+1",
    isChanged(node, other) && "changed",
  ].filter((mark) => mark !== false);
  return (
    <button
      type="button"
      class={["node", ...marks.map((mark) => mark.replace(/\W+/g, "-"))].join(" ")}
      aria-label={[node.name, ...marks].join(", ")}
      onClick={() => onNode(node.name)}
    >
      <span class="name">{node.alias}</span>
      <Bar
        name="memory"
        used={node.memoryUsed}
        kept={node.memoryReserved}
        total={node.memoryTotal}
        text={`${sizeText(node.memoryTotal - node.memoryUsed)} of ${sizeText(node.memoryTotal)} free, ${sizeText(node.memoryReserved)} kept for failures`}
      />
      <Bar
        name="disk"
        used={node.diskUsed}
        total={node.diskTotal}
        text={`${sizeText(node.diskTotal - node.diskUsed)} of ${sizeText(node.diskTotal)} free`}
      />
      <Bar
        name="vcpus"
        used={node.vcpus}
        total={node.vcpusMax}
        text={`${node.vcpus} of ${Math.round(node.vcpusMax)}`}
      />
      <span class="counts">
        {node.primaries} + {node.secondaries}
        {marks.length > 0 && <em>{marks[0]}</em>}
      </span>
    </button>
  );
}

function Bar(props: {
  readonly name: string;
  readonly used: number;
  readonly total: number;
  readonly kept?: number;
  readonly text: string;
}) {
  const { name, used, total, kept = 0, text } = props;
  const share = (amount: number) =>
    total > 0 ? `${Math.min(100, Math.max(0, (100 * amount) / total))}%` : "0%";
  return (
    <span
      class={used / total >= scarceFrom ? "bar-line scarce" : "bar-line"}
      title={`${name}: ${text}`}
    >
      <span class="used" style={{ width: share(used) }} />
      <span class="kept" style={{ width: share(Math.min(kept, total - used)) }} />
    </span>
  );
}
