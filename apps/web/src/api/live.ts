/** Changes on the server as they happen: one event stream for the page. */
import { useEffect, useState } from "preact/hooks";
import { ServerError } from "./server-error.js";
import type { JobStatus } from "./shapes.js";

interface JobEvent {
  readonly topic: "job";
  readonly id: number;
  readonly status: JobStatus;
  readonly summary: readonly string[];
}

export interface ConfigEvent {
  readonly topic: "config";
  readonly changes: readonly {
    readonly type: string;
    readonly change: "put" | "delete";
    readonly uuid?: string;
  }[];
}

/** An event that may change rows of a list. */
export type RowEvent = JobEvent | ConfigEvent;

/** After `rules` filter rules may have changed; after `reset` anything: events were missed. */
export type LiveEvent = RowEvent | { readonly topic: "rules" } | { readonly topic: "reset" };

type Listener = (event: LiveEvent) => void;

const listeners = new Set<Listener>();
const stateListeners = new Set<(connected: boolean) => void>();
let source: EventSource | undefined;
let isConnected = true;

/** Pause (ms) before a refused stream is requested again. */
const retryMs = 2000;

/** Silence (ms) after which the stream counts as broken and is reopened; the server sends a pulse every 15 s. */
const silenceMaxMs = 40_000;

/** Opens the stream, which the browser resumes after the last event seen. Returns a function that closes it. */
export function openStream(): () => void {
  let isWanted = true;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let silence: ReturnType<typeof setTimeout> | undefined;
  const hear = () => {
    clearTimeout(silence);
    silence = setTimeout(() => {
      setConnected(false);
      source?.close();
      connect();
    }, silenceMaxMs);
  };
  const connect = () => {
    if (!isWanted) return;
    clearTimeout(retry);
    hear();
    const stream = new EventSource("/ganeti-ts/1/events");
    source = stream;
    stream.onopen = () => {
      hear();
      setConnected(true);
    };
    stream.onerror = () => {
      setConnected(false);
      if (stream.readyState === EventSource.CLOSED) retry = setTimeout(connect, retryMs);
    };
    const tellOf = (topic: "job" | "config" | "rules") =>
      stream.addEventListener(topic, ({ data }) => {
        hear();
        tell({ topic, ...JSON.parse(data) });
      });
    tellOf("job");
    tellOf("config");
    tellOf("rules");
    stream.addEventListener("pulse", hear);
    stream.addEventListener("reset", () => tell({ topic: "reset" }));
  };
  connect();
  return () => {
    isWanted = false;
    clearTimeout(retry);
    clearTimeout(silence);
    source?.close();
  };
}

function tell(event: LiveEvent): void {
  for (const listener of listeners) listener(event);
}

/** Calls `listener` with each event until the returned function is called. */
export function onEvent(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function setConnected(now: boolean): void {
  const isBack = now && !isConnected;
  isConnected = now;
  for (const listener of stateListeners) listener(now);
  if (isBack) tell({ topic: "reset" });
}

/** Hook: whether the stream is open. */
export function useConnected(): boolean {
  const [connected, set] = useState(isConnected);
  useEffect(() => {
    stateListeners.add(set);
    return () => void stateListeners.delete(set);
  }, []);
  return connected;
}

/** Hook: a number that grows with changes of a topic, at most once a second. */
export function useEpoch(topic: LiveEvent["topic"]): number {
  const [epoch, setEpoch] = useState(0);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const unlisten = onEvent((event) => {
      if (event.topic !== topic && event.topic !== "reset") return;
      timer ??= setTimeout(() => {
        timer = undefined;
        setEpoch((old) => old + 1);
      }, 1000);
    });
    return () => {
      clearTimeout(timer);
      unlisten();
    };
  }, [topic]);
  return epoch;
}

/** `job`, `config`, `rules`, `job 17`, `config node`. */
type Topic = string;

const topicsOf = (event: LiveEvent): readonly Topic[] =>
  event.topic === "job"
    ? ["job", `job ${event.id}`]
    : event.topic === "config"
      ? ["config", ...event.changes.map(({ type }) => `config ${type}`)]
      : [event.topic];

export interface Loaded<Value> {
  readonly value: Value | undefined;
  readonly problem: string | undefined;
  reload(): void;
}

/** Default minimum time (ms) between two readings, and the ratio of the pause after a reading to its duration. */
const usualRestMs = 400;
const pauseFactor = 5;

/** Time (ms) after which a failed reading is tried again; undefined for a fault of the request, which would fail again. */
export const againInMs = (error: unknown): number | undefined =>
  error instanceof ServerError && (error.status === 0 || error.status >= 500) ? 3000 : undefined;

/**
 * Runs `read` at once and on request, never concurrently, and less often the longer a reading takes.
 * @param read resolves to false if the server has not answered, so that its duration does not count
 * @param restMs minimum time (ms) between the end of one reading and the next
 */
export function paced(
  read: () => Promise<boolean>,
  restMs = usualRestMs,
): { ask(): void; stop(): void } {
  let isWanted = true;
  let isReading = false;
  let isStale = false;
  const ask = async () => {
    if (isReading) {
      isStale = true;
      return;
    }
    isReading = true;
    isStale = false;
    const start = performance.now();
    const isAnswered = await read();
    const tookMs = isAnswered ? performance.now() - start : 0;
    const pause = Math.max(isAnswered ? restMs : usualRestMs, tookMs * pauseFactor);
    setTimeout(() => {
      isReading = false;
      if (isStale && isWanted) void ask();
    }, pause);
  };
  void ask();
  return {
    ask: () => void ask(),
    stop() {
      isWanted = false;
    },
  };
}

/**
 * Hook: reads a value now, when `key` changes, and after events of these topics, or those that `topics` accepts.
 * @param read gets a signal that aborts when its answer is no longer needed
 * @param restMs see `paced`
 */
export function useLive<Value>(
  key: string,
  topics: readonly Topic[] | ((event: LiveEvent, value: Value | undefined) => boolean),
  read: (signal: AbortSignal) => Promise<Value>,
  restMs?: number,
): Loaded<Value> {
  const [state, setState] = useState<{ key: string; value?: Value; problem?: string }>({ key });
  const [reload, setReload] = useState(() => () => {});
  useEffect(() => {
    let isWanted = true;
    const gone = new AbortController();
    let latest: Value | undefined;
    let retry: ReturnType<typeof setTimeout> | undefined;
    const { ask, stop } = paced(async () => {
      try {
        const value = await read(gone.signal);
        latest = value;
        if (isWanted) setState({ key, value });
        return true;
      } catch (error) {
        const problem = (error as Error).message;
        const inMs = againInMs(error);
        if (!isWanted) return true;
        setState((old) => ({ ...(old.key === key ? old : {}), key, problem }));
        if (inMs !== undefined) retry = setTimeout(() => ask(), inMs);
        return inMs === undefined;
      }
    }, restMs);
    const concerns = (event: LiveEvent) =>
      typeof topics === "function"
        ? topics(event, latest)
        : topicsOf(event).some((topic) => topics.includes(topic));
    const unlisten = onEvent((event) => {
      if (event.topic === "reset" || concerns(event)) ask();
    });
    setReload(() => ask);
    return () => {
      isWanted = false;
      gone.abort();
      clearTimeout(retry);
      stop();
      unlisten();
    };
  }, [key]);
  const isOwn = state.key === key;
  return {
    value: isOwn ? state.value : undefined,
    problem: isOwn ? state.problem : undefined,
    reload,
  };
}
