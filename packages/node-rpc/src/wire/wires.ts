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
import { type UnspokenCall, unspokenCalls } from "./unspoken.js";

/** Calls that can be sent and served. */
export type SpokenCall = Exclude<NodeCallName, UnspokenCall>;

/** Wires of all spoken calls; a call of the catalog that is in neither table does not compile. */
export const wires: CallWires<SpokenCall> = {
  ...figureWires,
  ...instanceWires,
  ...diskWires,
  ...osWires,
  ...storageWires,
  ...exportWires,
  ...setupWires,
  ...queueWires,
};

export const isSpoken = (name: string): name is SpokenCall => Object.hasOwn(wires, name);

/** Why a call is not on the wire. */
export const notSpoken = (name: UnspokenCall): string =>
  `${name} is not spoken yet: ${unspokenCalls[name]}`;
