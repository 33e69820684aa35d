/** Errors of RAPI calls. */
/**
 * | code | meaning | was it carried out? |
 * |---|---|---|
 * | `invalid_url` | not a valid URL | no |
 * | `unresolved` | the host has no address | no |
 * | `unreachable` | the connection is not accepted | no |
 * | `tls` | no secure connection: no TLS there, or a certificate that is not trusted | no |
 * | `timeout` | timed out; `phase` tells connecting from answering | perhaps |
 * | `broken` | the connection ended before the answer was complete; `phase` is the progress | perhaps |
 * | `aborted` | the caller's signal | perhaps |
 * | `refused` | an HTTP status from 400 on, in `status`; `message` holds the server's words | no |
 * | `unexpected` | an answer that does not match the schema | yes |
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
  /** For a refusal: the server's message, without the general explanation of the status. */
  readonly says: string | undefined;

  constructor(
    code: RapiErrorCode,
    what: string,
    facts: RapiErrorFacts,
    options?: ErrorOptions & { readonly says?: string | undefined },
  ) {
    super(`${facts.method} ${facts.url}: ${what}`, options);
    this.code = code;
    this.method = facts.method;
    this.url = facts.url;
    this.status = facts.status;
    this.phase = facts.phase;
    this.says = options?.says;
  }
}

/** The refusal in an answer with a status from 400 on; a body not in Ganeti's format is ignored. */
export function refusal(
  status: number,
  body: Uint8Array,
  facts: { readonly method: string; readonly url: string },
): RapiError {
  const fault = faultIn(body);
  const text = fault === undefined ? "" : ` ${fault.message}${fault.explain}`;
  return new RapiError(
    "refused",
    `${status}${text}`,
    { ...facts, status },
    { says: fault?.message },
  );
}

function faultIn(body: Uint8Array): { message: string; explain: string } | undefined {
  let fault: unknown;
  try {
    fault = JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
  const { code, message, explain = "" } = Object(fault);
  if (typeof code !== "number" || typeof message !== "string") return undefined;
  return { message: unescaped(message), explain: explain ? `: ${explain}` : "" };
}

const entities: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#x27;": "'",
};

/** Ganeti escapes its messages as HTML. */
const unescaped = (text: string) =>
  text.replace(/&(?:amp|lt|gt|quot|#x27);/g, (entity) => entities[entity] as string);
