/** gnt-node list. */
import type { Json } from "@ganeti-ts/protocol";
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { list } from "../../listing.js";
import { defaultNodeFields } from "./fields.js";

const joined = { text: (value: Json) => (value as readonly string[]).join(",") };

export const run = (invocation: Invocation): Promise<ExitCode> =>
  list(invocation, {
    kind: "node",
    defaultFields: defaultNodeFields,
    dispensable: ["mnode", "dtotal", "mtotal"],
    formats: { pinst_list: joined, sinst_list: joined, tags: joined },
  });
