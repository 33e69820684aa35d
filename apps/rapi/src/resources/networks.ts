/** Resources below `/2/networks`. */
import { RapiNetwork } from "@ganeti-ts/protocol";
import { listMethod, readTags, showMethod } from "./collection.js";
import * as change from "./network-changes.js";
import type { Resource } from "./resource.js";
import { tagsResource } from "./tags.js";

const networks = {
  ...({ kind: "network", plural: "networks", idKey: "name", schema: RapiNetwork } as const),
};

export const networkResources: readonly Resource[] = [
  { path: "/2/networks", methods: { GET: listMethod(networks), POST: change.add } },
  {
    path: "/2/networks/{network}",
    methods: { GET: showMethod(networks, "network"), DELETE: change.remove },
  },
  { path: "/2/networks/{network}/modify", methods: { PUT: change.modify } },
  { path: "/2/networks/{network}/rename", methods: { PUT: change.rename } },
  { path: "/2/networks/{network}/connect", methods: { PUT: change.connect } },
  { path: "/2/networks/{network}/disconnect", methods: { PUT: change.disconnect } },
  tagsResource({
    path: "/2/networks/{network}/tags",
    source: "networks_name_tags",
    kind: "network",
    part: "network",
    read: readTags("network", "network"),
  }),
];
