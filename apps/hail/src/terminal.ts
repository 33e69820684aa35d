/** What is at the other end of stderr; loaded only where it matters. */
import { isatty } from "node:tty";

/** A terminal that shows colours, for someone who has not set NO_COLOR. */
export function wantsColour(): boolean {
  const { NO_COLOR, TERM } = process.env;
  return !NO_COLOR && TERM !== "dumb" && isatty(2);
}
