/** Units about instances. */
import type { Unit } from "../../unit.js";
import { activateDisks } from "./activate-disks.js";
import { changeGroup } from "./change-group.js";
import { consoleAccess } from "./console.js";
import { create } from "./create.js";
import { deactivateDisks } from "./deactivate-disks.js";
import { failover } from "./failover.js";
import { growDisk } from "./grow-disk.js";
import { migrate } from "./migrate.js";
import { move } from "./move.js";
import { multiAlloc } from "./multi-alloc.js";
import { queryData } from "./query-data.js";
import { reboot } from "./reboot.js";
import { recreateDisks } from "./recreate-disks.js";
import { reinstall } from "./reinstall.js";
import { remove } from "./remove.js";
import { rename } from "./rename.js";
import { repair } from "./repair.js";
import { replaceDisks } from "./replace-disks.js";
import { setParams } from "./set-params.js";
import { shutdown } from "./shutdown.js";
import { startup } from "./startup.js";

export const instanceUnits: readonly Unit[] = [
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
