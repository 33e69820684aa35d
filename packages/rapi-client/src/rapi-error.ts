/** Why a call of the RAPI gave nothing. */
import { RapiFault } from "@ganeti-ts/protocol";

/**
 * | code | meaning | was it carried out? |
 * |---|---|---|
 * | `invalid_url` | nothing that can be called | no |
 * | `unresolved` | the host has no address | no |
 * | `unreachable` | nobody accepts the connection | no |
 * | `tls` | no secure connection: no TLS there, or a certificate that is not trusted | no |
 * | `timeout` | took too long; `phase` says whether to connect or to answer | perhaps |
 * | `broken` | the connection ended before the answer did; `phase` says how far it came | perhaps |
 * | `aborted` | the caller's signal | perhaps |
 * | `refused` | an HTTP status from 400 on, in `status`; `message` holds the server's words | no |
 * | `unexpected` | an answer, but not what the resource promises | yes |
 */
export type RapiErrorCode =
  | "invalid_url"
  | "unresolved"
  | "unreachable"
  | "tls"
  | "timeout"
  | "broken"
  | "aborted"
  | "refused"
  | "unexpected";

export interface RapiErrorFacts {
  readonly method: string;
  /** Without user and password. */
  readonly url: string;
  readonly status?: number;
  /** connect: no request was sent. answer: no byte of an answer came. body: a part of it came. */
  readonly phase?: "connect" | "answer" | "body";
}

/** `message` begins with method and URL; the first error is kept as `cause`. */
export class RapiError extends Error {
  override readonly name = "RapiError";
  readonly code: RapiErrorCode;
  readonly method: string;
  readonly url: string;
  readonly status: number | undefined;
  readonly phase: RapiErrorFacts["phase"];

  constructor(code: RapiErrorCode, what: string, facts: RapiErrorFacts, options?: ErrorOptions) {
    super(`${facts.method} ${facts.url}: ${what}`, options);
    this.code = code;
    this.method = facts.method;
    this.url = facts.url;
    this.status = facts.status;
    this.phase = facts.phase;
  }
}

/** The refusal in an answer with a status from 400 on; a body that is not Ganeti's is left out. */
export function refusal(
  status: number,
  body: Uint8Array,
  facts: { readonly method: string; readonly url: string },
): RapiError {
  return new RapiError("refused", `${status}${faultText(body)}`, { ...facts, status });
}

function faultText(body: Uint8Array): string {
  try {
    const { message, explain } = RapiFault.parse(JSON.parse(new TextDecoder().decode(body)));
    return ` ${unescaped(message)}${explain ? `: ${explain}` : ""}`;
  } catch {
    return "";
  }
}

const entities: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#x27;": "'",
};

/** Ganeti escapes its messages as if they were put into a page. */
const unescaped = (text: string) =>
  text.replace(/&(?:amp|lt|gt|quot|#x27);/g, (entity) => entities[entity] as string);
