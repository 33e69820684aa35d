/** All node groups. */
import { linkTo } from "../../address.js";
import { ObjectList } from "../../parts/object-list.js";
import { groupList, groupSource } from "./group-list.js";

export default function GroupsPage() {
  return (
    <ObjectList of={groupList} sourceOf={groupSource} none="There are no node groups.">
      <a class="button" href={linkTo(["nodes"])}>
        Nodes
      </a>
      <a class="button" href={linkTo(["balance"])}>
        Balance
      </a>
    </ObjectList>
  );
}
