/** Decoder for every message, which words the refusals. */
import { JsonDocument } from "../json/json-document.js";
import { decodeValues } from "./decode-values.js";
import type { AllocatorMessage } from "./request.js";

/** The complete decoder, which words every refusal. */
export function decodeScanned(bytes: Uint8Array): AllocatorMessage {
  return decodeValues(new JsonDocument(bytes));
}
