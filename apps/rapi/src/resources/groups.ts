/** Resources below `/2/groups`. */
import { RapiGroup } from "@ganeti-ts/protocol";
import { listMethod, showMethod } from "./collection.js";
import { submits } from "./job-method.js";
import { type Resource, resource } from "./resource.js";
import { tagsResource } from "./tags.js";

const groups = { kind: "group", idKey: "name", schema: RapiGroup } as const;
const flags = ["dry-run"];
const rename = {
  ...{ custom_ndparams: "ndparams", custom_ipolicy: "ipolicy", custom_diskparams: "diskparams" },
};

export const groupResources: readonly Resource[] = [
  resource("/2/groups", {
    GET: listMethod(groups),
    POST: submits("OP_GROUP_ADD", "Adds a node group", { flags, rename: { name: "group_name" } }),
  }),
  resource("/2/groups/{group}", {
    GET: showMethod(groups),
    DELETE: submits("OP_GROUP_REMOVE", "Removes a node group without nodes", {
      flags,
      body: "ignored",
    }),
  }),
  resource("/2/groups/{group}/modify", {
    PUT: submits("OP_GROUP_SET_PARAMS", "Changes a node group's parameters", { rename }),
  }),
  resource("/2/groups/{group}/rename", {
    PUT: submits("OP_GROUP_RENAME", "Renames a node group", { flags }),
  }),
  resource("/2/groups/{group}/assign-nodes", {
    PUT: submits("OP_GROUP_ASSIGN_NODES", "Puts nodes into a node group", {
      flags: [...flags, "force"],
    }),
  }),
  tagsResource("/2/groups/{group}", "nodegroup"),
];
