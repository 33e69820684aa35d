/** Opcodes about tags. */
import { TagKind } from "./choices.js";
import { opcode } from "./define.js";
import { flag, listOf, nonEmpty, text } from "./values.js";

export const tagOpcodes = {
  OP_TAGS_GET: opcode("OP_TAGS_GET", "kind", {
    kind: TagKind,
    use_locking: flag.default(false),
    name: text.optional(),
  }),
  OP_TAGS_SEARCH: opcode("OP_TAGS_SEARCH", "pattern", {
    pattern: nonEmpty,
  }),
  OP_TAGS_SET: opcode("OP_TAGS_SET", null, {
    kind: TagKind,
    tags: listOf(text),
    name: text.optional(),
  }),
  OP_TAGS_DEL: opcode("OP_TAGS_DEL", null, {
    kind: TagKind,
    tags: listOf(text),
    name: text.optional(),
  }),
};
