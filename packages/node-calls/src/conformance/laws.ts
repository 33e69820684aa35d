import type { Law } from "./law.js";
import { damagedDiskLaws } from "./laws/damaged-disks.js";
import { diskLaws } from "./laws/disks.js";
import { exportLaws } from "./laws/exports.js";
import { fenceLaws } from "./laws/fence.js";
import { figureLaws } from "./laws/figures.js";
import { instanceLaws } from "./laws/instances.js";
import { osLaws } from "./laws/os.js";
import { queueLaws } from "./laws/queue.js";
import { setupLaws } from "./laws/setup.js";
import { storageLaws } from "./laws/storage.js";

/** All laws of node back ends; together they make every call of the catalog. */
export const laws: readonly Law[] = [
  ...figureLaws,
  ...instanceLaws,
  ...diskLaws,
  ...damagedDiskLaws,
  ...osLaws,
  ...storageLaws,
  ...exportLaws,
  ...setupLaws,
  ...queueLaws,
  ...fenceLaws,
];
