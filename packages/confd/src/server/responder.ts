/** A datagram in, a datagram or the reason for silence out: the server without its socket. */
import type { Snapshot } from "@ganeti-ts/config";
import type { FilterRule, TimeOfDay } from "@ganeti-ts/protocol";
import { answerConfdQuery } from "../answer/answer-query.js";
import { type ConfdOutcome, textError, writeConfdAnswer } from "../wire/answer.js";
import { type ConfdQuery, readConfdQuery } from "../wire/query.js";
import type { ConfdFault } from "../wire/signed-message.js";

/** There is no configuration to answer from; each query gets the reason as an error. */
export interface ConfdUnavailable {
  readonly unavailable: string;
}

/** Reason of a server that has not read a configuration so far. */
export const notYetLoaded: ConfdUnavailable = { unavailable: "Configuration not yet loaded" };

/** Data that answers are made from: configuration, filter rules, key and time. */
export interface ConfdSource {
  /**
   * The newest snapshot, called for each valid query; undefined: this server has none to answer from, and stays silent, so
   * that clients take the answers of others.
   */
  readonly snapshot: () => Snapshot | ConfdUnavailable | undefined;
  /** Filter rules, which the job queue keeps; none if absent. */
  readonly filters?: () => readonly FilterRule[];
  /** Whole content of the key file, or what gives it for each datagram, where it may be renewed. */
  readonly key: Uint8Array | (() => Uint8Array);
  readonly clock: TimeOfDay;
}

/** Result for one datagram: an answer to send, or the reason why it is dropped. */
type ConfdResponse =
  | {
      readonly kind: "answer";
      readonly query: ConfdQuery;
      readonly outcome: ConfdOutcome;
      readonly datagram: Uint8Array;
    }
  | { readonly kind: "drop"; readonly why: ConfdFault | "unknown query" | "no configuration" };

/**
 * Nothing is kept between two datagrams: a query that comes twice is answered twice. Only a query with
 * a valid signature and timestamp is ever answered.
 */
export function respondTo(datagram: Uint8Array, source: ConfdSource): ConfdResponse {
  const { clock } = source;
  const key = typeof source.key === "function" ? source.key() : source.key;
  const reading = readConfdQuery(datagram, { key, nowSeconds: clock.wallMicros() / 1e6 });
  if (!reading.ok) return { kind: "drop", why: reading.fault };
  const { query } = reading;
  const outcome = outcomeOf(query, source);
  if (outcome === undefined) return { kind: "drop", why: "no configuration" };
  return { kind: "answer", query, outcome, datagram: writeConfdAnswer(outcome, query.rsalt, key) };
}

function outcomeOf(
  query: ConfdQuery,
  { snapshot, filters }: ConfdSource,
): ConfdOutcome | undefined {
  const now = snapshot();
  if (now === undefined) return undefined;
  if ("unavailable" in now) return textError(now.unavailable);
  return answerConfdQuery(now, query, filters?.() ?? []);
}
