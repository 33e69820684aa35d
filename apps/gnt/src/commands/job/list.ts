/** `gnt-job list`. */
import type { FilterExpression } from "@ganeti-ts/protocol";
import type { Invocation } from "../../invocation.js";
import { list } from "../../listing.js";
import { jobFormats } from "./formats.js";
import { statusFilter } from "./selection.js";

export const run = (invocation: Invocation) =>
  list(invocation, {
    kind: "job",
    defaultFields: ["id", "status", "summary"],
    nameField: "id",
    numeric: true,
    status: statusFilter(invocation.options) as FilterExpression | undefined,
    moreFields: invocation.options.flag("archived") ? ["archived"] : [],
    formats: jobFormats,
  });
