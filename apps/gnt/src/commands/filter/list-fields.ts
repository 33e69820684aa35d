/** `gnt-filter list-fields`. */
import type { Invocation } from "../../invocation.js";
import { listFields } from "../../listing.js";

export const run = (invocation: Invocation) => listFields(invocation, "filter");
