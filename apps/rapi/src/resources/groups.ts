/** Resources below `/2/groups`. */
import { RapiGroup } from "@ganeti-ts/protocol";
import { listMethod, readTags, showMethod } from "./collection.js";
import * as change from "./group-changes.js";
import type { Resource } from "./resource.js";
import { tagsResource } from "./tags.js";

const groups = { kind: "group", plural: "groups", idKey: "name", schema: RapiGroup } as const;

export const groupResources: readonly Resource[] = [
  { path: "/2/groups", methods: { GET: listMethod(groups), POST: change.add } },
  {
    path: "/2/groups/{group}",
    methods: { GET: showMethod(groups, "group"), DELETE: change.remove },
  },
  { path: "/2/groups/{group}/modify", methods: { PUT: change.modify } },
  { path: "/2/groups/{group}/rename", methods: { PUT: change.rename } },
  { path: "/2/groups/{group}/assign-nodes", methods: { PUT: change.assignNodes } },
  tagsResource({
    path: "/2/groups/{group}/tags",
    source: "groups_name_tags",
    kind: "nodegroup",
    part: "group",
    read: readTags("group", "group"),
  }),
];
