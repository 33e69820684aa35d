/** Requests in a text file: each a line `METHOD /path BODY`, in JSON if it has one, and an indented line about the answer. */
import { readFileSync } from "node:fs";
import type { Json } from "@ganeti-ts/protocol";

export interface Request {
  readonly request: string;
  readonly method: string;
  readonly path: string;
  readonly body: Json | undefined;
  /** The indented line; empty without one. */
  readonly answer: string;
}

export function requestsIn(name: string): readonly Request[] {
  const text = readFileSync(new URL(name, import.meta.url), "utf8");
  const lines = text.matchAll(/^((\w+) (\S+)(?: (.*))?)\n(?: {2}(.*)\n)?/gm);
  return Array.from(lines, ([, request = "", method = "", path = "", body, answer = ""]) => ({
    ...{ request, method, path, answer },
    body: body === undefined ? undefined : (JSON.parse(body) as Json),
  }));
}
