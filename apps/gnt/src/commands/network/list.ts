/** gnt-network list. */
import type { Json } from "@ganeti-ts/protocol";
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { list } from "../../listing.js";
import { defaultNetworkFields } from "../default-fields.js";

const joined = { text: (value: Json) => (value as readonly string[]).join(",") };

/** `name (mode, link, vlan)` of each group. */
const connections = {
  text: (value: Json) =>
    (value as readonly (readonly string[])[])
      .map(([name, mode, link, vlan]) => `${name} (${mode}, ${link}, ${vlan})`)
      .join(", "),
};

export const run = (invocation: Invocation): Promise<ExitCode> =>
  list(invocation, {
    kind: "network",
    defaultFields: defaultNetworkFields,
    dispensable: ["tags", "mac_prefix", "group_list"],
    formats: { group_list: connections, inst_list: joined, tags: joined },
  });
