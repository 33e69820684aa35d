/** add-tags and remove-tags. */
import type { ExitCode } from "../../command.js";
import { prereqError } from "../../errors.js";
import type { Invocation } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";
import { givenTags, opcodeKind, target } from "./target.js";

export async function changeTags(
  invocation: Invocation,
  OP_ID: "OP_TAGS_SET" | "OP_TAGS_DEL",
): Promise<ExitCode> {
  const { kind, name, tags: words } = target(invocation);
  const tags = givenTags(words, invocation.options.text("from"));
  if (tags.length === 0) {
    throw prereqError(`No tags to be ${OP_ID === "OP_TAGS_SET" ? "added" : "removed"}`);
  }
  await runOpcode(invocation, { OP_ID, kind: opcodeKind(kind), name: name ?? "", tags });
  return 0;
}
