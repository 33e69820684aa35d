import type { NodeCallArguments, NodeCallName, NodeCallValue } from "@ganeti-ts/node-calls";
import type { Json } from "@ganeti-ts/protocol";
import type { Format } from "./format.js";

/** Forms of a call's arguments and value. */
export interface CallWire<Name extends NodeCallName> {
  readonly arguments: Format<NodeCallArguments<Name>>;
  readonly value: Format<NodeCallValue<Name>>;
  /** A failure without a message that stands for a value: its payload, and the value. */
  readonly failureOf?: { readonly payload: Json; readonly value: NodeCallValue<Name> };
}

export type CallWires<Name extends NodeCallName> = { readonly [N in Name]: CallWire<N> };
