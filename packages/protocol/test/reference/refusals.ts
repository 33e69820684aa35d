// Reads the table of refusals beside this file.
import { readFileSync } from "node:fs";
import { aMessage, change, type Json, type RequestType } from "../message.js";

export interface Refusal {
  readonly why: string;
  /** The whole message. */
  readonly text: string;
  /** Text of hail after `Error: `; undefined where it accepts the message. */
  readonly error: string | undefined;
}

/**
 * Every entry of refusals.txt. An entry is a line `TYPE: CHANGE; CHANGE …` and an indented line
 * with the error, or `accepted`. A change is `PATH = JSON`, or `PATH` for what is taken away; the
 * parts of a path are separated by blanks, `*` stands for the first key.
 */
export function refusals(): Refusal[] {
  const file = readFileSync(new URL("refusals.txt", import.meta.url), "utf8");
  const lines = file.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  const found: Refusal[] = [];
  for (let i = 0; i < lines.length; i += 2) {
    const why = lines[i] as string;
    const outcome = (lines[i + 1] ?? "").trim();
    found.push({ why, text: spoiled(why), error: outcome === "accepted" ? undefined : outcome });
  }
  return found;
}

function spoiled(entry: string): string {
  const colon = entry.indexOf(": ");
  const message = aMessage(entry.slice(0, colon) as RequestType);
  for (const each of entry.slice(colon + 2).split("; ")) {
    const [path = "", value] = each.split(" = ");
    change(message, path.split(" "), value === undefined ? undefined : (JSON.parse(value) as Json));
  }
  return JSON.stringify(message);
}
