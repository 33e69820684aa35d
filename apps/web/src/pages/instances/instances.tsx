/** All instances: search, filter, order, columns, and changes of several at once. */
import { linkTo } from "../../address.js";
import type { Me } from "../../api/shapes.js";
import { instanceSource } from "../../api/sources.js";
import { Action, withoutRight } from "../../parts/action.js";
import { ObjectActions } from "../../parts/object-actions.js";
import { ObjectList } from "../../parts/object-list.js";
import { Status } from "../../parts/status.js";
import { instanceActions } from "./action-list.js";
import { instanceList } from "./columns.js";

export function InstancesPage({ me }: { readonly me: Me }) {
  return (
    <ObjectList
      of={instanceList}
      sourceOf={instanceSource}
      cells={{ status: ({ status }) => <Status of={status} /> }}
      none={
        <>
          There are no instances yet. <a href={linkTo(["create"])}>Create one</a>
        </>
      }
      actions={(names, onDone) => (
        <ObjectActions {...{ actions: instanceActions, noun: "instance", names, me, onDone }} />
      )}
    >
      <Action
        kind="strong"
        off={withoutRight(me)}
        onClick={() => {
          location.hash = linkTo(["create"]);
        }}
      >
        Create
      </Action>
    </ObjectList>
  );
}
