/** OP_TAGS_DEL: removes tags from one object, which must have all of them. */
import { checkTag, withoutTags } from "@ganeti-ts/config";
import { changeConfig } from "../unit/config-change.js";
import { orTagError } from "../unit/refusals.js";
import type { Unit } from "../unit/unit.js";
import { tagged, tagLocks } from "./tagged.js";

export const deleteTags: Unit<"OP_TAGS_DEL"> = {
  opcode: "OP_TAGS_DEL",

  locks: tagLocks,

  async run(op, world) {
    for (const tag of op.tags) orTagError(() => checkTag(tag));
    return changeConfig(world, op, (now) => {
      const target = tagged(now, op);
      return { changes: [target.withTags(withoutTags(target.tags, op.tags))], value: null };
    });
  },
};
