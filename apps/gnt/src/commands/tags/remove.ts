/** remove-tags: removes tags, all of which must exist. */
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { changeTags } from "./change.js";

export const run = (invocation: Invocation): Promise<ExitCode> =>
  changeTags(invocation, "OP_TAGS_DEL");
