/** Calls about storage. */
import type { NodeContext } from "../context.js";
import { changeCalls } from "./change-calls.js";
import { contentCalls } from "./content-calls.js";
import { directoryCalls } from "./directory-calls.js";
import { diskCache } from "./disk-cache.js";
import { diskLinks } from "./disk-links.js";
import { diskTypes } from "./disk-types.js";
import { childrenCalls } from "./drbd/children-calls.js";
import { helperCalls } from "./drbd/drbd-checks.js";
import { netCalls } from "./drbd/net-calls.js";
import { lifeCalls } from "./life-calls.js";
import { lookCalls } from "./look-calls.js";
import { volumeCalls } from "./lvm/volume-calls.js";
import { requestVolumes } from "./lvm/volume-table.js";
import { eachRequest } from "./request-calls.js";
import { unitCalls } from "./units/storage-calls.js";

export const storageCalls = (context: NodeContext) => ({
  ...eachRequest(() => diskCalls(context)),
  ...directoryCalls(context),
  ...volumeCalls(context),
  ...helperCalls(context),
  ...unitCalls(context),
});

/** Calls about disks; the table of logical volumes is read once per request. */
function diskCalls(context: NodeContext) {
  const types = diskTypes(context, requestVolumes(context));
  const cache = diskCache(context);
  return {
    ...lifeCalls(context, types, { links: diskLinks(context), cache }),
    ...changeCalls(types, cache),
    ...contentCalls(context, types),
    ...lookCalls(types),
    ...childrenCalls(context, types),
    ...netCalls(context),
  };
}
