/** The server's log: one JSON object a line, never with a password or a secret in it. */
import { type DestinationStream, pino } from "pino";

export interface Log {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
  debug(facts: object, message: string): void;
}

/** @param destination standard error if absent */
export function createLog(
  level: "debug" | "info" | "silent",
  destination?: DestinationStream,
): Log {
  return pino(
    {
      ...{ level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: errorFacts },
    },
    destination ?? pino.destination({ dest: 2, sync: false }),
  );
}

/** Of an error what it says and where it was thrown; what is attached to it may be anything. */
const errorFacts = (error: unknown) =>
  error instanceof Error
    ? { type: error.name, message: error.message, stack: error.stack }
    : { message: String(error) };
