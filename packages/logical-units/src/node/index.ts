/** Units about nodes. */
import { addNode } from "./add.js";
import { evacuateNode } from "./evacuate.js";
import { migrateNode } from "./migrate.js";
import { powercycleNode } from "./powercycle.js";
import { removeNode } from "./remove.js";
import { renameNode } from "./rename.js";
import { setNodeParams } from "./set-params.js";

export const nodeUnits = [
  addNode,
  removeNode,
  renameNode,
  setNodeParams,
  powercycleNode,
  migrateNode,
  evacuateNode,
];
