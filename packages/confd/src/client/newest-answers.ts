/** Listener to put between a client and its user, which keeps the newest answer. */
import { type Json, sameJson } from "@ganeti-ts/protocol";
import type { ConfdAnswer } from "../wire/answer.js";
import { confdStatuses } from "../wire/constants.js";
import type { ConfdEvent } from "./events.js";

/** Listener for the events of a client. */
export type ConfdListener = (event: ConfdEvent) => void;

/**
 * Keeps the answer with the highest serial number for each request, and passes on only what is new. The first answer is; a later one is if its serial number is higher and it
 * differs. An error never replaces an answer that is none, and any such answer replaces an error, since
 * the serial number of an error says nothing. Expired requests are passed on and forgotten.
 */
export function newestAnswers(
  listener: ConfdListener,
  onInconsistent?: (rsalt: string, serial: number) => void,
) {
  const answers = new Map<string, ConfdAnswer>();
  const inconsistent = new Set<string>();

  const isNews = (rsalt: string, answer: ConfdAnswer): boolean => {
    const best = answers.get(rsalt);
    if (best === undefined || isBetter(answer, best)) {
      answers.set(rsalt, answer);
      return best === undefined || !isSameAnswer(answer, best);
    }
    if (isError(answer) === isError(best) && answer.serial === best.serial) {
      if (!isSameAnswer(answer, best)) {
        inconsistent.add(rsalt);
        onInconsistent?.(rsalt, answer.serial);
      }
    }
    return false;
  };
  return {
    /** For the client. */
    onEvent(event: ConfdEvent): void {
      if (event.kind === "reply") {
        if (isNews(event.rsalt, event.answer)) listener(event);
        return;
      }
      answers.delete(event.rsalt);
      inconsistent.delete(event.rsalt);
      listener(event);
    },
    /** The newest answer to a request that has not expired. */
    answerOf: (rsalt: string): ConfdAnswer | undefined => answers.get(rsalt),
    /** False after two different answers with the same serial number. */
    isConsistent: (rsalt: string): boolean => !inconsistent.has(rsalt),
  };
}

const isError = ({ status }: ConfdAnswer): boolean => status !== confdStatuses.ok;

function isBetter(answer: ConfdAnswer, best: ConfdAnswer): boolean {
  if (isError(answer) !== isError(best)) return isError(best);
  return answer.serial > best.serial;
}

const isSameAnswer = (a: ConfdAnswer, b: ConfdAnswer): boolean =>
  a.status === b.status && sameJson(a.answer as Json, b.answer as Json);
