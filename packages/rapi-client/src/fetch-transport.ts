/**
 * Transport over `fetch`, for browsers. It reports no details of a failed connection, not even whether it was
 * established.
 */
import { bytesMax, noteHeader, type Question, type Server, type Transport } from "./exchange.js";
import { RapiError, refusal } from "./rapi-error.js";

export const fetchTransport: Transport = {
  async exchange(server, question) {
    const timeout = AbortSignal.timeout(server.timeoutMs);
    const fail = (error: unknown) => failure(server, question, error, timeout.aborted);
    const signals = question.signal === undefined ? [timeout] : [question.signal, timeout];
    try {
      const response = await asked(server, question, AbortSignal.any(signals));
      const body = new Uint8Array(await response.arrayBuffer());
      if (body.length > bytesMax) throw new Error(`more than ${bytesMax} bytes`);
      const note = response.headers.get(noteHeader) ?? undefined;
      return { status: response.status, body, note };
    } catch (error) {
      throw fail(error);
    }
  },

  async *stream(server, question) {
    try {
      const response = await asked(server, question, question.signal);
      if (response.status >= 400) {
        const facts = { method: question.method, url: server.base + question.path };
        throw refusal(response.status, new Uint8Array(await response.arrayBuffer()), facts);
      }
      const reader = response.body?.getReader();
      try {
        for (;;) {
          const part = await reader?.read();
          if (part === undefined || part.done) return;
          yield part.value;
        }
      } finally {
        await reader?.cancel().catch(() => {});
      }
    } catch (error) {
      throw error instanceof RapiError ? error : failure(server, question, error, false);
    }
  },
};

const asked = (
  { base, authorization }: Server,
  { method, path, body }: Question,
  signal: AbortSignal | undefined,
): Promise<Response> =>
  fetch(base + path, {
    method,
    headers: {
      accept: "application/json",
      ...(authorization === undefined ? {} : { authorization }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body }),
    ...(signal === undefined ? {} : { signal }),
    ...guarded,
  });

/**
 * Answers must not be cached, and the password must not follow a redirect to another host. Only browsers know
 * `cache`.
 */
const guarded = { cache: "no-store", redirect: "error" } as const;

function failure(server: Server, question: Question, error: unknown, isLate: boolean): RapiError {
  const { method, path, signal } = question;
  const facts = { method, url: server.base + path, phase: "answer" as const };
  const options = { cause: error };
  if (signal?.aborted) return new RapiError("aborted", "stopped by the caller", facts, options);
  if (isLate) {
    return new RapiError("timeout", `no answer after ${server.timeoutMs / 1000} s`, facts, options);
  }
  return new RapiError(
    "broken",
    error instanceof Error ? error.message : String(error),
    facts,
    options,
  );
}
