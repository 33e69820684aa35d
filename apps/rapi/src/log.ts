/** The server's log: one JSON object per line, without passwords and secrets. */
import { type DestinationStream, pino } from "pino";

export interface Log {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
  debug(facts: object, message: string): void;
}

/** @param destination receives the lines; without it they are discarded */
export function createLog(
  level: "debug" | "info" | "silent",
  destination: DestinationStream = { write() {} },
): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: errorFacts },
    },
    destination,
  );
}

/** Message and origin of an error; attached data may contain anything and is left out. */
const errorFacts = (error: unknown) =>
  error instanceof Error
    ? { type: error.name, message: error.message, stack: error.stack }
    : { message: String(error) };
