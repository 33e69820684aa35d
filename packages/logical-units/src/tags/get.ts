/** OP_TAGS_GET: lists the tags of one object. */
import { asShared } from "../unit/locks.js";
import type { Unit } from "../unit/unit.js";
import { tagged } from "./tagged.js";

export const getTags: Unit<"OP_TAGS_GET"> = {
  opcode: "OP_TAGS_GET",

  locks(op, now) {
    const { lock } = tagged(now, op);
    return op.use_locking && lock !== undefined ? asShared(lock) : [];
  },

  run: async (op, world) => tagged(world.config.snapshot, op).tags,
};
