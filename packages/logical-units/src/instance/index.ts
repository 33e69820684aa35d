/** Units about instances. */
import { create } from "./create/create.js";
import { multiAlloc } from "./create/multi-alloc.js";
import { queryData } from "./data/query-data.js";
import { activateDisks } from "./disks/activate-disks.js";
import { deactivateDisks } from "./disks/deactivate-disks.js";
import { growDisk } from "./disks/grow-disk.js";
import { recreateDisks } from "./disks/recreate-disks.js";
import { repair } from "./disks/repair.js";
import { setParams } from "./modify/set-params.js";
import { changeGroup } from "./relocation/change-group.js";
import { failover } from "./relocation/failover.js";
import { migrate } from "./relocation/migrate.js";
import { move } from "./relocation/move.js";
import { remove } from "./remove.js";
import { replaceDisks } from "./replacement/replace-disks.js";
import { consoleAccess } from "./running/console.js";
import { reboot } from "./running/reboot.js";
import { shutdown } from "./running/shutdown.js";
import { startup } from "./running/startup.js";
import { reinstall } from "./system/reinstall.js";
import { rename } from "./system/rename.js";

export const instanceUnits = [
  startup,
  shutdown,
  reboot,
  failover,
  migrate,
  move,
  changeGroup,
  consoleAccess,
  create,
  multiAlloc,
  reinstall,
  remove,
  rename,
  setParams,
  activateDisks,
  deactivateDisks,
  growDisk,
  replaceDisks,
  recreateDisks,
  repair,
  queryData,
];
