import type { NodeCallName } from "@ganeti-ts/node-calls";
import type { CallWires } from "./call-wire.js";
import { diskWires } from "./disks.js";
import { exportWires } from "./exports.js";
import { figureWires } from "./figures.js";
import { instanceWires } from "./instances.js";
import { osWires } from "./os.js";
import { queueWires } from "./queue.js";
import { setupWires } from "./setup.js";
import { storageWires } from "./storage.js";

/** Wires of all calls of the catalog. */
export const wires: CallWires<NodeCallName> = {
  ...figureWires,
  ...instanceWires,
  ...diskWires,
  ...osWires,
  ...storageWires,
  ...exportWires,
  ...setupWires,
  ...queueWires,
};

export const isNodeCall = (name: string): name is NodeCallName => Object.hasOwn(wires, name);
