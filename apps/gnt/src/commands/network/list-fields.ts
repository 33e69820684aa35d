/** gnt-network list-fields. */
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { listFields } from "../../listing.js";

export const run = (invocation: Invocation): Promise<ExitCode> => listFields(invocation, "network");
