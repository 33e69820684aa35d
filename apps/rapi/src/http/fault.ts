/**
 * Fault of a request: a status and a body of three keys, in the form that all of Ganeti's clients
 * read.
 */
import { writeJson } from "@ganeti-ts/protocol";

/** Phrase and standard explanation of each status. Source: Python's and Ganeti's own tables. */
const phrases = {
  400: ["Bad Request", "Bad request syntax or unsupported method"],
  401: ["Unauthorized", "No permission -- see authorization schemes"],
  403: ["Forbidden", "Request forbidden -- authorization will not help"],
  404: ["Not Found", "Nothing matches the given URI"],
  408: ["Request Timeout", "Request timed out; try again later."],
  413: ["Request Entity Too Large", "Entity is too large"],
  415: ["Unsupported Media Type", "Entity body in unsupported format"],
  429: ["Too Many Requests", "Too many requests; try again later."],
  500: ["Internal Server Error", "Server got itself in trouble"],
  501: ["Not Implemented", "Server does not support this operation"],
  502: ["Bad Gateway", "Invalid responses from another server/proxy"],
  503: ["Service Unavailable", "The server cannot process the request due to a high load"],
  504: ["Gateway Timeout", "The gateway server did not receive a timely response"],
} as const;

export type FaultStatus = keyof typeof phrases;

/** Error of request handlers; `message` is for the user, by default the phrase of the status. */
export class HttpFault extends Error {
  override readonly name = "HttpFault";
  readonly status: FaultStatus;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: FaultStatus,
    message: string = phrases[status][0],
    headers: Readonly<Record<string, string>> = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.status = status;
    this.headers = headers;
  }

  /** Body of the answer: JSON with a final newline. */
  get body(): string {
    const [, explain] = phrases[this.status];
    return `${writeJson({ code: this.status, message: escapeHtml(this.message), explain })}\n`;
  }
}

/** Thrown when the client has closed its connection, so that the answer could not be delivered. */
export class ClientGone extends HttpFault {
  constructor() {
    super(400, "The connection was closed before the request was answered");
  }
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#x27;",
};

/** Escapes a message for HTML, as Ganeti does. */
const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (sign) => entities[sign] as string);

/** Python's name of the type of a JSON value, for error texts. */
export function typeName(value: unknown): string {
  if (value === null || value === undefined) return "NoneType";
  if (Array.isArray(value)) return "list";
  if (typeof value === "number") return Number.isInteger(value) ? "int" : "float";
  return { bigint: "int", boolean: "bool", string: "str" }[typeof value as string] ?? "dict";
}
