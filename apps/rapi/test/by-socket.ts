/** Requests by a socket, where any method may have a body. */
import { type IncomingHttpHeaders, request as plain, type RequestOptions } from "node:http";
import { request as secure } from "node:https";
import { text as textOf } from "node:stream/consumers";
import type { Json } from "@ganeti-ts/protocol";

export interface BySocket {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Empty for a stream. */
  readonly text: string;
}

/** @param body bytes, or what becomes JSON; certificates are not verified */
export function sendBySocket(
  { headers, ...where }: RequestOptions & { readonly headers?: Record<string, string> },
  body?: Json | Buffer,
): Promise<BySocket> {
  const bytes =
    body === undefined || Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
  const isSized = bytes !== undefined && headers?.["transfer-encoding"] === undefined;
  const options = {
    ...{ rejectUnauthorized: false, ...where },
    headers: {
      "content-type": "application/json",
      ...headers,
      ...(isSized && { "content-length": bytes.length }),
    },
  };
  return new Promise((resolve, reject) => {
    const sent = (where.protocol === "https:" ? secure : plain)(options, (response) => {
      const answer = { status: response.statusCode ?? 0, headers: response.headers };
      if (answer.headers["content-type"] === "text/event-stream") {
        response.destroy();
        return resolve({ ...answer, text: "" });
      }
      textOf(response).then((text) => resolve({ ...answer, text }), reject);
    });
    sent.on("timeout", () => sent.destroy(new Error("no answer")));
    sent.on("error", reject).end(bytes);
  });
}
