/** The check of OS definitions. */
import type { NodeContext } from "../context.js";
import type { Checks } from "../host/verification.js";
import { diagnoseOs } from "./calls.js";

export const osChecks = ({ paths }: Pick<NodeContext, "paths">): Checks => ({
  osList: async () => ({ osList: await diagnoseOs(paths.osSearch) }),
});
