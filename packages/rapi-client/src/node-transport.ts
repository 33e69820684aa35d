/** Transport over Node's own connections: custom certificates, Unix sockets, and detailed errors. */
import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import {
  type Answer,
  bytesMax,
  noteHeader,
  type Question,
  type Server,
  type Transport,
} from "./exchange.js";
import { RapiError, type RapiErrorFacts, refusal } from "./rapi-error.js";

export const nodeTransport: Transport = {
  exchange: (server, question) =>
    asked<Answer>(server, question, (response, done, fail) => collect(response, done, fail)),

  async *stream(server, question) {
    const facts = { method: question.method, url: server.base + question.path };
    const response = await asked<IncomingMessage>(server, question, (begun, done) => done(begun));
    const leave = () => response.destroy();
    question.signal?.addEventListener("abort", leave);
    try {
      const { statusCode = 0 } = response;
      if (statusCode >= 400) {
        const { body } = await new Promise<Answer>((resolve, reject) =>
          collect(response, resolve, reject),
        );
        throw refusal(statusCode, body, facts);
      }
      yield* response as AsyncIterable<Uint8Array>;
    } catch (error) {
      if (question.signal?.aborted) throw aborted(question, { ...facts, phase: "body" });
      if (error instanceof RapiError) throw error;
      throw failure(error as Error, { ...facts, phase: "body" });
    } finally {
      question.signal?.removeEventListener("abort", leave);
      response.destroy();
    }
  },
};

/** The result of `receive` for the answer. @throws RapiError if there is none in time */
async function asked<T>(
  server: Server,
  question: Question,
  receive: (
    response: IncomingMessage,
    done: (value: T) => void,
    fail: (error: Error) => void,
  ) => void,
): Promise<T> {
  const url = server.base + question.path;
  const facts = { method: question.method, url };
  if (!URL.canParse(url)) throw new RapiError("invalid_url", "no URL", facts);
  const { protocol } = new URL(url);
  if (protocol !== "http:" && protocol !== "https:") {
    throw new RapiError("invalid_url", `${protocol.slice(0, -1)} is neither http nor https`, facts);
  }
  const secure = protocol === "https:";
  // Loading TLS takes time, which is not needed for a local socket.
  const request = secure ? (await import("node:https")).request : httpRequest;
  const controller = new AbortController();
  return await new Promise<T>((resolve, reject) => {
    let phase: "connect" | "answer" | "body" = "connect";
    const stop = (error: RapiError) => {
      // The first event decides; the destroyed request's own error comes later.
      finish(() => reject(error));
      controller.abort();
    };
    const tooLong = (seconds: number) =>
      stop(new RapiError("timeout", `no answer after ${seconds} s`, { ...facts, phase }));
    const connecting = setTimeout(
      () => tooLong(server.connectTimeoutMs / 1000),
      server.connectTimeoutMs,
    );
    const answering = setTimeout(() => tooLong(server.timeoutMs / 1000), server.timeoutMs);
    const onAbort = () => stop(aborted(question, { ...facts, phase }));
    const finish = (settle: () => void) => {
      clearTimeout(connecting);
      clearTimeout(answering);
      question.signal?.removeEventListener("abort", onAbort);
      settle();
    };
    const fail = (error: Error) => finish(() => reject(failure(error, { ...facts, phase })));

    if (question.signal?.aborted) return onAbort();
    question.signal?.addEventListener("abort", onAbort);
    const sent: ClientRequest = request(url, {
      method: question.method,
      agent: false,
      ...(server.socketPath === undefined ? {} : { socketPath: server.socketPath }),
      signal: controller.signal,
      headers: headersOf(server, question.body),
      ...(secure ? tlsOptions(server) : {}),
    });
    sent.on("socket", (socket) => {
      socket.once(secure ? "secureConnect" : "connect", () => {
        clearTimeout(connecting);
        phase = "answer";
      });
    });
    sent.on("error", fail);
    sent.on("response", (response) => {
      phase = "body";
      receive(response, (value) => finish(() => resolve(value)), fail);
    });
    sent.end(question.body);
  });
}

const aborted = ({ signal }: Question, facts: RapiErrorFacts) =>
  new RapiError("aborted", "stopped by the caller", facts, { cause: signal?.reason });

function headersOf(
  { authorization }: Server,
  body: string | undefined,
): Record<string, string | number> {
  return {
    accept: "application/json",
    ...(authorization === undefined ? {} : { authorization }),
    ...(body === undefined
      ? {}
      : { "content-type": "application/json", "content-length": Buffer.byteLength(body) }),
  };
}

const tlsOptions = ({ verifyCertificate, ca }: Server) => ({
  rejectUnauthorized: verifyCertificate,
  ...(ca === undefined ? {} : { ca }),
});

function collect(
  response: IncomingMessage,
  done: (answer: Answer) => void,
  fail: (error: Error) => void,
): void {
  const chunks: Buffer[] = [];
  let length = 0;
  response.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    length += chunk.length;
    if (length <= bytesMax) return;
    response.destroy();
    fail(new Error(`more than ${bytesMax} bytes`));
  });
  response.on("error", fail);
  response.on("end", () => {
    if (response.complete) {
      done({
        status: response.statusCode ?? 0,
        body: Buffer.concat(chunks),
        note: response.headers[noteHeader] as string | undefined,
      });
    } else fail(new Error("the answer is cut off"));
  });
}

/** By error code of the system. */
const unreachable = [
  ...["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "EADDRNOTAVAIL", "EACCES", "EPERM"],
  // Errors of Unix sockets.
  ...["ENOENT", "ENOTSOCK"],
];

function failure(error: Error, facts: RapiErrorFacts): RapiError {
  const { code = "" } = error as NodeJS.ErrnoException;
  const options = { cause: error };
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") {
    return new RapiError("unresolved", `the host has no address (${code})`, facts, options);
  }
  if (unreachable.includes(code)) return new RapiError("unreachable", code, facts, options);
  if (code === "ETIMEDOUT") return new RapiError("timeout", code, facts, options);
  const says = error.message || code;
  if (facts.phase === "connect") return new RapiError("tls", says, facts, options);
  return new RapiError("broken", says, facts, options);
}
