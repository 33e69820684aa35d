/** Properties of the terminal behind a standard stream; loaded only where needed. */
import { isatty, WriteStream } from "node:tty";
import type { Terminal } from "./ports.js";

export function terminalAt(stream: "stdout" | "stderr"): Terminal | undefined {
  const descriptor = stream === "stdout" ? 1 : 2;
  if (!isatty(descriptor)) return undefined;
  const { NO_COLOR, TERM } = process.env;
  return {
    columns: new WriteStream(descriptor).columns || 80,
    colour: !NO_COLOR && TERM !== "dumb",
  };
}
