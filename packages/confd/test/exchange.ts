/** A recorded exchange with a confd, and how it is judged. */
import { readFileSync } from "node:fs";
import type { Snapshot } from "@ganeti-ts/config";
import { answerConfdQuery, readConfdQuery, writeConfdAnswer } from "../src/index.js";

export interface Exchange {
  readonly name: string;
  /** Time of the query, in seconds. */
  readonly at: number;
  /** Datagrams, one character for each byte; null: the daemon stayed silent. */
  readonly query: string;
  readonly answer: string | null;
}

export interface Recording {
  readonly key: string;
  readonly pairs: readonly Exchange[];
}

export const recordingIn = (file: string | URL): Recording =>
  JSON.parse(readFileSync(file, "utf8")) as Recording;

/** The answer to a recorded query at the time of the recording, in the same form. */
export function answerTo(now: Snapshot, query: string, key: Uint8Array, nowSeconds: number) {
  const reading = readConfdQuery(Buffer.from(query, "latin1"), { key, nowSeconds });
  if (!reading.ok) return null;
  const outcome = answerConfdQuery(now, reading.query);
  const datagram = writeConfdAnswer(outcome, reading.query.rsalt, key);
  return Buffer.from(datagram).toString("latin1");
}

/** The inner message of an answer. */
export function messageOf(answer: string | null): string | null {
  if (answer === null) return null;
  return (JSON.parse(answer.slice(4)) as { readonly msg: string }).msg;
}
