/** Requests by a socket, where any method may have a body. */
import { type IncomingHttpHeaders, type RequestOptions, request } from "node:http";
import type { Json } from "@ganeti-ts/protocol";

export interface BySocket {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Empty for a stream. */
  readonly text: string;
}

/** @param body bytes, or what becomes JSON */
export function sendBySocket(
  { headers, ...where }: RequestOptions & { readonly headers?: Record<string, string> },
  body?: Json | Buffer,
): Promise<BySocket> {
  const bytes =
    body === undefined || Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
  const sized = bytes === undefined ? {} : { "content-length": bytes.length };
  return new Promise((resolve, reject) => {
    const sent = request(
      { ...where, headers: { "content-type": "application/json", ...headers, ...sized } },
      (response) => {
        const answer = { status: response.statusCode ?? 0, headers: response.headers };
        if (answer.headers["content-type"] === "text/event-stream") {
          response.destroy();
          return resolve({ ...answer, text: "" });
        }
        let text = "";
        response.setEncoding("utf8").on("data", (chunk) => {
          text += chunk;
        });
        response.on("end", () => resolve({ ...answer, text })).on("error", reject);
      },
    );
    sent.on("error", reject);
    sent.end(bytes);
  });
}
