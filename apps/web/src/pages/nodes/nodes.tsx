/** All nodes: search, filter, order, columns, and changes of several at once. */
import { linkTo } from "../../address.js";
import type { Me } from "../../api/shapes.js";
import { ObjectActions } from "../../parts/object-actions.js";
import { ObjectList } from "../../parts/object-list.js";
import { Role } from "../../parts/role.js";
import { nodeActions } from "./node-actions.js";
import { nodeList, nodeSource } from "./node-list.js";

export default function NodesPage({ me }: { readonly me: Me }) {
  return (
    <ObjectList
      of={nodeList}
      sourceOf={nodeSource}
      cells={{
        role: ({ role }) => <Role of={role} isShort />,
        n1: ({ n1 }) =>
          n1 === null ? (
            "–"
          ) : (
            <span class={n1 === "holds" ? "status good" : "status bad"}>{n1}</span>
          ),
        group: ({ group }) =>
          group === null ? "–" : <a href={linkTo(["groups", group])}>{group}</a>,
      }}
      none="There are no nodes."
      actions={(names, onDone) => (
        <>
          <ObjectActions {...{ actions: nodeActions, noun: "node", names, me, onDone }} />
          {names.length > 0 && (
            <p>
              <a href={linkTo(["maintenance"], { nodes: names.join(",") })}>
                Plan a maintenance of{" "}
                {names.length === 1 ? names[0] : `these ${names.length} nodes`}
              </a>
            </p>
          )}
        </>
      )}
    >
      <a class="button" href={linkTo(["groups"])}>
        Groups
      </a>
      <a class="button" href={linkTo(["maintenance"])}>
        Maintenance
      </a>
    </ObjectList>
  );
}
