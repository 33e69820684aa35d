/** Choice of nodes, singly or by whole groups. */
import type { NodeState } from "./maintenance.js";

export function NodeChoice(props: {
  readonly nodes: readonly NodeState[];
  readonly chosen: ReadonlySet<string>;
  readonly onChange: (chosen: readonly string[]) => void;
}) {
  const { nodes, chosen, onChange } = props;
  const groups = [...new Set(nodes.map(({ group }) => group))].sort();
  const put = (names: readonly string[], on: boolean) => {
    const now = new Set(names);
    // In the order of the list rather than of the clicks.
    onChange(nodes.flatMap(({ name }) => ((now.has(name) ? on : chosen.has(name)) ? [name] : [])));
  };
  return (
    <section class="card" aria-label="Nodes to maintain">
      <h2>Nodes to maintain</h2>
      <div class="choices">
        {groups.map((group) => {
          const members = nodes.filter((node) => node.group === group).map(({ name }) => name);
          return (
            <fieldset key={group}>
              <legend>
                <label class="check">
                  <input
                    type="checkbox"
                    aria-label={`All of group ${group}`}
                    checked={members.every((name) => chosen.has(name))}
                    onChange={(event) => put(members, event.currentTarget.checked)}
                  />
                  {group}
                </label>
              </legend>
              {members.map((name) => (
                <label class="check" key={name} title={name}>
                  <input
                    type="checkbox"
                    aria-label={name}
                    checked={chosen.has(name)}
                    onChange={(event) => put([name], event.currentTarget.checked)}
                  />
                  {name.split(".")[0]}
                </label>
              ))}
            </fieldset>
          );
        })}
      </div>
    </section>
  );
}
