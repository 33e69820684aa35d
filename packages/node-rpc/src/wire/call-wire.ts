import type { NodeCallArguments, NodeCallName, NodeCallValue } from "@ganeti-ts/node-calls";
import type { Format } from "./format.js";

/** Formats of a call's arguments and value. */
export interface CallWire<Name extends NodeCallName> {
  readonly arguments: Format<NodeCallArguments<Name>>;
  readonly value: Format<NodeCallValue<Name>>;
}

/** By call; without a format of its own a value is carried as it is. */
export type CallWires<Name extends NodeCallName> = {
  readonly [N in Name]: CallWire<N> | Format<NodeCallArguments<N>>;
};
