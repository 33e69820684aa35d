import type { NodeCallArguments, NodeCallName } from "@ganeti-ts/node-calls";
import type { CallWire, CallWires } from "./call-wire.js";
import { diskWires } from "./disks.js";
import { exportWires } from "./exports.js";
import { figureWires } from "./figures.js";
import { type Format, plain } from "./format.js";
import { instanceWires } from "./instances.js";
import { osWires } from "./os.js";
import { queueWires } from "./queue.js";
import { setupWires } from "./setup.js";
import { storageWires } from "./storage.js";

/** Wires of all calls of the catalog. */
const wires: CallWires<NodeCallName> = {
  ...figureWires,
  ...instanceWires,
  ...diskWires,
  ...osWires,
  ...storageWires,
  ...exportWires,
  ...setupWires,
  ...queueWires,
};

export function wireOf<Name extends NodeCallName>(name: Name): CallWire<Name> {
  const wire = wires[name] as unknown as CallWire<Name> | Format<NodeCallArguments<Name>>;
  return "encode" in wire ? { arguments: wire, value: plain } : wire;
}

export const isNodeCall = (name: string): name is NodeCallName => Object.hasOwn(wires, name);
