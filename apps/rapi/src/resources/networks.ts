/** Resources below `/2/networks`. */
import { RapiNetwork } from "@ganeti-ts/protocol";
import { listMethod, showMethod } from "./collection.js";
import { submits } from "./job-method.js";
import { type Resource, resource } from "./resource.js";
import { tagsResource } from "./tags.js";

const networks = { kind: "network", idKey: "name", schema: RapiNetwork } as const;
const flags = ["dry-run"];

const at = (rest: string) => `/2/networks/{network}${rest}`;

export const networkResources: readonly Resource[] = [
  resource("/2/networks", {
    GET: listMethod(networks),
    POST: submits("OP_NETWORK_ADD", "Adds a network", { flags, rename: { name: "network_name" } }),
  }),
  resource(at(""), {
    GET: showMethod(networks),
    DELETE: submits("OP_NETWORK_REMOVE", "Removes a network that is connected nowhere", { flags }),
  }),
  resource(at("/modify"), {
    PUT: submits("OP_NETWORK_SET_PARAMS", "Changes a network's parameters"),
  }),
  resource(at("/rename"), { PUT: submits("OP_NETWORK_RENAME", "Renames a network", { flags }) }),
  resource(at("/connect"), {
    PUT: submits("OP_NETWORK_CONNECT", "Connects a network to a node group", { flags }),
  }),
  resource(at("/disconnect"), {
    PUT: submits("OP_NETWORK_DISCONNECT", "Disconnects a network from a node group", { flags }),
  }),
  tagsResource(at(""), "network"),
];
