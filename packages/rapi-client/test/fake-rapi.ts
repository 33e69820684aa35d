// A server on the loopback with answers defined by a test, which records its requests.
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished } from "vitest";
import { RapiError } from "../src/index.js";

export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly body: unknown;
  readonly authorization: string | undefined;
  readonly contentType: string | undefined;
}

export type Responder = (asked: Asked, response: ServerResponse, request: IncomingMessage) => void;

const fixture = (name: string) =>
  readFileSync(new URL(`fixtures/${name}`, import.meta.url), "utf8");

/** Its own; no system trusts it. */
export const certificate = fixture("certificate.pem");

export interface FakeRapi {
  readonly url: string;
  readonly asked: Asked[];
  close(): Promise<void>;
}

export async function fakeRapi(respond: Responder, { secure = false } = {}): Promise<FakeRapi> {
  const asked: Asked[] = [];
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString();
      const one: Asked = {
        method: request.method ?? "",
        url: request.url ?? "",
        body: text === "" ? undefined : JSON.parse(text),
        authorization: request.headers.authorization,
        contentType: request.headers["content-type"],
      };
      asked.push(one);
      respond(one, response, request);
    });
  };
  const server = secure
    ? createSecureServer({ key: fixture("key.pem"), cert: certificate }, listener)
    : createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${secure ? "https" : "http"}://127.0.0.1:${port}`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A server that is closed when the test ends. */
export async function serving(respond: Responder, { secure = false } = {}): Promise<FakeRapi> {
  const server = await fakeRapi(respond, { secure });
  onTestFinished(() => server.close());
  return server;
}

/** The error of a call that must fail. */
export const failure = async (promise: Promise<unknown>): Promise<RapiError> => {
  const error = await promise.then(
    () => undefined,
    (caught: unknown) => caught,
  );
  expect(error).toBeInstanceOf(RapiError);
  return error as RapiError;
};

/** Answers as Ganeti does: JSON and a final newline, and no further request on the connection. */
export function json(response: ServerResponse, value: unknown, status = 200): void {
  const text = `${JSON.stringify(value)}\n`;
  response.writeHead(status, { "content-type": "application/json", connection: "close" });
  response.end(text);
}
