/** What an allocator said, as text or as a value, and what is wrong with it. */
import { isJsonObject, type Json, type JsonObject, wireAnswers } from "@ganeti-ts/protocol";
import type { RequestEntry } from "./requests.js";

/** An answer that can be used, or why there is none. */
export type Reading =
  | { readonly kind: "success"; readonly info: string; readonly result: Json }
  /** The allocator found no solution; `info` says why. */
  | { readonly kind: "refusal"; readonly info: string }
  /** It failed to run, or what it wrote is no answer. */
  | { readonly kind: "failure"; readonly message: string }
  /** It answers something else than what was asked. */
  | { readonly kind: "wrong"; readonly message: string; readonly isCount: boolean };

/** Source: Ganeti, `lib/masterd/iallocator.py`; `nodes` is what old allocators call `result`. */
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

/** Whether a success has the form that the request asks for, with as many nodes as it needs. */
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
