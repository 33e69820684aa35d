/** Events of a request: each reply that arrives, and the end of waiting. */
import type { ConfdPeer } from "../server/server.js";
import type { ConfdAnswer } from "../wire/answer.js";
import type { ConfdType } from "../wire/constants.js";
import type { ConfdArgument } from "../wire/query.js";

/** A question to send. */
export interface ConfdRequest {
  readonly type: ConfdType;
  /** null if absent. */
  readonly query?: ConfdArgument;
  /** A random UUID if absent. */
  readonly rsalt?: string;
}

/** An answer of one server, or the end of a request. */
export type ConfdEvent = {
  readonly rsalt: string;
  readonly request: ConfdRequest;
  readonly args: unknown;
} & (
  | { readonly kind: "reply"; readonly answer: ConfdAnswer; readonly from: ConfdPeer }
  | { readonly kind: "expired" }
);
