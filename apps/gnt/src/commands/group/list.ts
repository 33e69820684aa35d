/** gnt-group list. */
import type { Json, JsonObject } from "@ganeti-ts/protocol";
import { pythonText } from "@ganeti-ts/protocol";
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { list } from "../../listing.js";
import { defaultGroupFields } from "../default-fields.js";

const joined = { text: (value: Json) => (value as readonly string[]).join(",") };

/** `k=v, k2=v2`, as parameters are listed. */
const parameters = {
  text: (value: Json) => {
    const pairs = Object.entries((value ?? {}) as JsonObject);
    if (pairs.length === 0) return "(empty)";
    return pairs.map(([key, one]) => `${key}=${pythonText(one as Json)}`).join(", ");
  },
};

export const run = (invocation: Invocation): Promise<ExitCode> =>
  list(invocation, {
    kind: "group",
    defaultFields: defaultGroupFields,
    dispensable: ["ndparams"],
    formats: { node_list: joined, pinst_list: joined, ndparams: parameters },
  });
