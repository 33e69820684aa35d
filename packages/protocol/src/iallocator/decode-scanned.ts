/** Decoder for every message, which words the refusals. */
import { completeDocument } from "../json/complete-json.js";
import { decodeValues } from "./decode-values.js";
import type { AllocatorMessage } from "./request.js";

/** The complete decoder, which words every refusal. */
export function decodeScanned(bytes: Uint8Array): AllocatorMessage {
  return decodeValues(completeDocument(bytes));
}
