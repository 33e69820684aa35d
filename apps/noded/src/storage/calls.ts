/** Calls about storage. */
import type { DiskCalls, StorageCalls } from "@ganeti-ts/node-calls";
import type { NodeContext } from "../context.js";
import type { Handlers } from "../handlers.js";
import { changeCalls } from "./change-calls.js";
import { directoryCalls } from "./directory-calls.js";
import { diskLinks } from "./disk-links.js";
import { diskTypes } from "./disk-types.js";
import { lifeCalls } from "./life-calls.js";
import { lookCalls } from "./look-calls.js";

export function storageCalls(context: NodeContext): Partial<Handlers<DiskCalls & StorageCalls>> {
  const types = diskTypes(context);
  return {
    ...lifeCalls(context, types, diskLinks(context)),
    ...changeCalls(context, types),
    ...lookCalls(types),
    ...directoryCalls(context),
  };
}
