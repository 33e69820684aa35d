/** Answers as they travel: schema, reading and writing. */
import * as z from "zod";
import {
  confdErrors,
  confdMagic,
  confdProtocol,
  confdStatuses,
  datagramBytesMax,
} from "./constants.js";
import { jsonOf, signatureOf, unpackSigned } from "./signed-message.js";
import { valueText } from "./value-text.js";

/** The inner message of an answer. */
export const ConfdAnswer = z
  .object({
    protocol: z.int(),
    /** See `confdStatuses`. */
    status: z.literal([0, 1, 2]),
    /** Depends on the type of the query; see `confdErrors` for errors, which may also be texts. */
    answer: z.unknown(),
    /** Serial number of the object that the answer is about; of several answers the one with the highest is the newest. */
    serial: z.int(),
  })
  .readonly();
export type ConfdAnswer = z.infer<typeof ConfdAnswer>;

/** Status, answer and serial number, before they are written. */
export type ConfdOutcome = Omit<ConfdAnswer, "protocol">;

/** Result of reading a datagram: the answer with the salt of its request, or a fault in words. */
type AnswerReading =
  | { readonly ok: true; readonly answer: ConfdAnswer; readonly rsalt: string }
  | { readonly ok: false; readonly fault: string };

/** O(length of the datagram). `rsalt` says to which query the datagram is the answer. */
export function readConfdAnswer(datagram: Uint8Array, key: Uint8Array): AnswerReading {
  const unpacked = unpackSigned(datagram, key);
  if (!unpacked.ok) return unpacked;
  const inner = ConfdAnswer.safeParse(jsonOf(unpacked.msg));
  return inner.success
    ? { ok: true, answer: inner.data, rsalt: unpacked.salt }
    : { ok: false, fault: "malformed" };
}

/**
 * Byte for byte as Ganeti's server writes it; one that does not fit into a datagram becomes the error
 * `answer too large`. O(bytes written): what does not fit is not written to its end.
 */
export function writeConfdAnswer(
  outcome: ConfdOutcome,
  rsalt: string,
  key: Uint8Array,
): Uint8Array {
  const datagram = written(outcome, rsalt, key);
  if (datagram !== undefined) return datagram;
  const { error } = confdStatuses;
  const tooLarge = written({ status: error, answer: "answer too large", serial: 0 }, rsalt, key);
  if (tooLarge === undefined) throw new Error("an rsalt from a datagram fits into a datagram");
  return tooLarge;
}

function written(outcome: ConfdOutcome, rsalt: string, key: Uint8Array): Buffer | undefined {
  const answer = valueText(outcome.answer, datagramBytesMax);
  if (answer === undefined) return undefined;
  const { status, serial } = outcome;
  const msg = `{"protocol":${confdProtocol},"status":${status},"answer":${answer},"serial":${serial}}`;
  const outer = { hmac: signatureOf(key, rsalt, msg), msg, salt: rsalt };
  const datagram = Buffer.from(confdMagic + JSON.stringify(outer));
  return datagram.length > datagramBytesMax ? undefined : datagram;
}

/** Nothing is called so, or has this address. */
export const unknownEntry: ConfdOutcome = {
  status: confdStatuses.error,
  answer: confdErrors.unknownEntry,
  serial: 0,
};

/** The query does not fit its type. */
export const argumentError: ConfdOutcome = {
  status: confdStatuses.error,
  answer: confdErrors.argument,
  serial: 0,
};

export const textError = (answer: string): ConfdOutcome => ({
  status: confdStatuses.error,
  answer,
  serial: 0,
});

export const found = (answer: unknown, serial: number): ConfdOutcome => ({
  status: confdStatuses.ok,
  answer,
  serial,
});
