/** Checks of an allocator's answer, as text or as a value. */
import { isJsonObject, type Json, type JsonObject, wireAnswers } from "@ganeti-ts/protocol";
import type { RequestEntry } from "./requests.js";

/** A usable answer, or the reason why there is none. */
export type Reading =
  | { readonly kind: "success"; readonly info: string; readonly result: Json }
  /** The allocator found no solution; `info` is its reason. */
  | { readonly kind: "refusal"; readonly info: string }
  /** It failed to run, or its output is not an answer. */
  | { readonly kind: "failure"; readonly message: string }
  /** The answer does not match the request. */
  | { readonly kind: "wrong"; readonly message: string; readonly isCount: boolean };

/** Source: Ganeti, `lib/masterd/iallocator.py`; `nodes` is the name of `result` in old allocators. */
export function readAnswerText(text: string): Reading {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch (error) {
    return noAnswer((error as Error).message);
  }
  if (!isJsonObject(value)) return noAnswer("not a dict");
  const result = value.result === undefined ? value.nodes : value.result;
  const found: JsonObject = { ...value, ...(result !== undefined && { result }) };
  for (const key of ["success", "info", "result"] as const) {
    if (found[key] === undefined) return noAnswer(`missing key '${key}'`);
  }
  const { success, info } = found;
  const infoText = typeof info === "string" ? info : JSON.stringify(info);
  if (success !== true) return { kind: "refusal", info: infoText };
  return { kind: "success", info: infoText, result: found.result as Json };
}

const noAnswer = (why: string): Reading => ({
  kind: "failure",
  message: `Can't parse iallocator results: ${why}`,
});

/** Checks that a success has the form of the request, with the required number of nodes. */
export function checkedReading(reading: Reading, name: string, request: RequestEntry): Reading {
  if (reading.kind !== "success") return reading;
  const { result } = reading;
  if ("required_nodes" in request && request.type !== "capacity" && Array.isArray(result)) {
    const required = request.required_nodes;
    if (result.length !== required) {
      return {
        kind: "wrong",
        isCount: true,
        message: `iallocator '${name}' returned invalid number of nodes (${result.length}), required ${required}`,
      };
    }
  }
  const parsed = wireAnswers[request.type].safeParse({ ...reading, success: true });
  if (parsed.success) return reading;
  const [issue] = parsed.error.issues;
  const where = issue?.path.join(".") ?? "";
  return {
    kind: "wrong",
    isCount: false,
    message: `iallocator returned invalid result, expected that of ${request.type}, got ${JSON.stringify(result)} (${where}: ${issue?.message})`,
  };
}
