/** Requests to the server of the page, with errors in words. */

import { ServerError } from "./server-error.js";

export { ServerError };

/** Time (ms) after the last key or click during which the user counts as present. */
const presentMs = 60_000;
let lastActionMs = Number.NEGATIVE_INFINITY;
for (const event of ["keydown", "pointerdown"]) {
  addEventListener(event, () => {
    lastActionMs = performance.now();
  });
}

/** Called with each 401, whichever request it answers. */
let onEnded = () => {};
export const whenSessionEnds = (handle: () => void): void => {
  onEnded = handle;
};

let note: string | undefined;

/** Note of the server in its last answer that its cluster is a twin or a shadow. */
export const serverNote = (): string | undefined => note;

/** Time (ms) within which an answer must begin; longer for plans, which take time to compute. */
const answerMaxMs = 30_000;
const planMaxMs = 600_000;

/**
 * The JSON of an answer.
 * @param signal for requests whose answer may become useless, such as plans
 * @throws ServerError, or the reason of `signal`
 */
export async function ask<Value>(
  method: string,
  path: string,
  body?: unknown,
  signal?: AbortSignal,
): Promise<Value> {
  const present = performance.now() - lastActionMs < presentMs;
  const limitMs = signal === undefined ? answerMaxMs : planMaxMs;
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), limitMs);
  const response = await fetch(path, {
    method,
    headers: {
      "x-ganeti-ui": present ? "active" : "idle",
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: signal === undefined ? silence.signal : AbortSignal.any([signal, silence.signal]),
  })
    .catch(() => {
      signal?.throwIfAborted();
      const what = silence.signal.aborted
        ? `The server has not answered for ${limitMs / 1000} seconds.`
        : "The server cannot be reached.";
      const isReading = method === "GET" || path.startsWith("/2/query/");
      const then = isReading ? " The page tries again by itself." : signal ? "" : unknownEffect;
      throw new ServerError(0, what + then);
    })
    .finally(() => clearTimeout(timer));
  note = response.headers.get("x-ganeti-ts-note") ?? undefined;
  const text = await response.text();
  if (response.ok) return (text.startsWith("#") ? text : JSON.parse(text)) as Value;
  if (response.status === 401 && path !== "/ui/session") onEnded();
  throw new ServerError(response.status, wordsOf(response.status, text));
}

const unknownEffect =
  " It may have carried out the request, or may still do so: look before you try again.";

function wordsOf(status: number, text: string): string {
  const said = messageIn(text) ?? `The server answered with status ${status}.`;
  if (status === 403 && /forbidden/i.test(said)) {
    return "Your rights do not allow this: ask for the option write in the users file.";
  }
  if (status === 503) return `${said}. The server is busy: try again in a moment.`;
  return said;
}

function messageIn(text: string): string | undefined {
  try {
    const { message } = JSON.parse(text) as { message?: string };
    // Messages are escaped as for a page; the page shows them as text.
    return message && new DOMParser().parseFromString(message, "text/html").body.textContent;
  } catch {
    return undefined;
  }
}

type Entry = readonly [status: number, value: unknown];

/** Rows of a query with fields as `fields.ts` makes them. @throws ServerError */
export async function query<Fields extends object>(
  kind: string,
  fields: Fields,
  filter: unknown = null,
): Promise<Fields[]> {
  const names = Object.keys(fields);
  const body = { fields: names, qfilter: filter };
  const { data } = await ask<{ data: Entry[][] }>("PUT", `/2/query/${kind}`, body);
  return data.map(
    (row) =>
      Object.fromEntries(
        row.map(([status, value], at) => [names[at], status === 0 ? value : null]),
      ) as Fields,
  );
}
