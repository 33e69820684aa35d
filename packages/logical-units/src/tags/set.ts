/** OP_TAGS_SET: adds tags to one object; existing ones stay. */
import { checkTag, withTags } from "@ganeti-ts/config";
import { changeConfig } from "../unit/config-change.js";
import { orExecError, orTagError } from "../unit/refusals.js";
import type { Unit } from "../unit/unit.js";
import { tagged, tagLocks } from "./tagged.js";

export const setTags: Unit<"OP_TAGS_SET"> = {
  opcode: "OP_TAGS_SET",

  locks: tagLocks,

  async run(op, world) {
    for (const tag of op.tags) orTagError(() => checkTag(tag));
    return changeConfig(world, op, (now) => {
      const target = tagged(now, op);
      const tags = orExecError(() => withTags(target.tags, op.tags), "Error while setting tag");
      return { changes: [target.withTags(tags)], value: null };
    });
  },
};
