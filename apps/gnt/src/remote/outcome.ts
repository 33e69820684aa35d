/** Answers of the form `[done, message]`. */
import type { Json } from "@ganeti-ts/protocol";
import { requireList, unexpected } from "./wire.js";

/** @throws ConnectionFailure */
export function outcome(answer: Json, path: string): readonly [boolean, string] {
  const [done, message] = requireList(answer, path);
  if (typeof done !== "boolean") throw unexpected(path);
  return [done, String(message)];
}
