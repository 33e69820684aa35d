/** Units about instances. */
import type { Unit } from "../../unit.js";
import { activateDisks } from "./activate-disks.js";
import { consoleAccess } from "./console.js";
import { create } from "./create.js";
import { deactivateDisks } from "./deactivate-disks.js";
import { failover } from "./failover.js";
import { growDisk } from "./grow-disk.js";
import { migrate } from "./migrate.js";
import { multiAlloc } from "./multi-alloc.js";
import { queryData } from "./query-data.js";
import { reboot } from "./reboot.js";
import { reinstall } from "./reinstall.js";
import { remove } from "./remove.js";
import { rename } from "./rename.js";
import { setParams } from "./set-params.js";
import { repair } from "./repair.js";
import { replaceDisks } from "./replace-disks.js";
import { shutdown } from "./shutdown.js";
import { startup } from "./startup.js";

export const instanceUnits: readonly Unit[] = [
  startup,
  shutdown,
  reboot,
  failover,
  migrate,
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
  repair,
  queryData,
];
