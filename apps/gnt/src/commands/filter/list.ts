/** `gnt-filter list`. */
import type { Invocation } from "../../invocation.js";
import { list } from "../../listing.js";
import { ruleFields } from "./rules.js";

export const run = (invocation: Invocation) =>
  list(invocation, {
    kind: "filter",
    defaultFields: ruleFields,
    nameField: "uuid",
    dispensable: ["reason_trail", "watermark"],
  });
