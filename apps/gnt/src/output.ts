/** Output of a command: lines, or with `--json` one document. */
import type { Json } from "@ganeti-ts/protocol";
import { writeJson } from "@ganeti-ts/protocol";
import type { Output } from "./invocation.js";
import type { Machine } from "./machine.js";

export interface CommandOutput extends Output {
  /** Runs a command, and prints the document at its end, even if it failed. */
  during<Value>(run: () => Promise<Value>): Promise<Value>;
}

/** `color`: `always`, `never`; otherwise decided by the terminal. */
export function createOutput(
  machine: Machine,
  json: boolean,
  color: string | undefined,
): CommandOutput {
  const error = (text: string) => machine.writeError(`${text}\n`);
  const { terminal } = machine;
  if (!json) {
    return {
      json,
      error,
      terminal,
      write: (text) => machine.write(text),
      colour: color === "always" || (color !== "never" && terminal?.colour === true),
      line: (text) => machine.write(`${text}\n`),
      document: () => {},
      during: (run) => run(),
    };
  }
  const lines: string[] = [];
  let document: Json | undefined;
  return {
    json,
    error,
    terminal: undefined,
    colour: false,
    write: () => {},
    line: (text) => void lines.push(text),
    document: (value) => {
      document = value;
    },
    during: async (run) => {
      try {
        return await run();
      } finally {
        machine.write(`${writeJson(document ?? { lines })}\n`);
      }
    },
  };
}
