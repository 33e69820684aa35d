/** Changes on the server as they happen: one event stream for the page. */
import { useEffect, useState } from "preact/hooks";

type Topic = "job" | "config";
type Listener = (topic: Topic) => void;

const listeners = new Set<Listener>();
const stateListeners = new Set<(connected: boolean) => void>();
let source: EventSource | undefined;
let isConnected = true;

/** Pause (ms) before a stream that the server has refused is asked for again. */
const retryMs = 2000;

/** Opens the stream; the browser resumes it after the last event seen. Gives what closes it. */
export function openStream(): () => void {
  let isWanted = true;
  let retry: ReturnType<typeof setTimeout> | undefined;
  const connect = () => {
    if (!isWanted) return;
    const stream = new EventSource("/ganeti-ts/1/events");
    source = stream;
    stream.onopen = () => setConnected(true);
    stream.onerror = () => {
      setConnected(false);
      if (stream.readyState === EventSource.CLOSED) retry = setTimeout(connect, retryMs);
    };
    stream.addEventListener("job", () => tell("job"));
    stream.addEventListener("config", () => tell("config"));
    // Events were missed: everything is read again.
    stream.addEventListener("reset", () => {
      tell("job");
      tell("config");
    });
  };
  connect();
  return () => {
    isWanted = false;
    clearTimeout(retry);
    source?.close();
  };
}

function tell(topic: Topic): void {
  for (const listener of listeners) listener(topic);
}

function setConnected(now: boolean): void {
  const isBack = now && !isConnected;
  isConnected = now;
  for (const listener of stateListeners) listener(now);
  if (isBack) {
    tell("job");
    tell("config");
  }
}

/** Whether the stream is open. */
export function useConnected(): boolean {
  const [connected, set] = useState(isConnected);
  useEffect(() => {
    stateListeners.add(set);
    return () => void stateListeners.delete(set);
  }, []);
  return connected;
}

export interface Loaded<Value> {
  readonly value: Value | undefined;
  readonly problem: string | undefined;
  reload(): void;
}

/** Shortest time (ms) between two readings, and how many times as long as a reading the pause after it is. */
const pauseMs = 400;
const pauseFactor = 5;

/** Reads something now, when `key` changes, and after changes of these topics, not more often than reading takes. */
export function useLive<Value>(
  key: string,
  topics: readonly Topic[],
  read: () => Promise<Value>,
): Loaded<Value> {
  const [state, setState] = useState<{ key: string; value?: Value; problem?: string }>({ key });
  const [reload, setReload] = useState(() => () => {});
  useEffect(() => {
    let isWanted = true;
    let isReading = false;
    let isStale = false;
    const refresh = async () => {
      if (isReading) {
        isStale = true;
        return;
      }
      isReading = true;
      isStale = false;
      const start = performance.now();
      try {
        const value = await read();
        if (isWanted) setState({ key, value });
      } catch (error) {
        const problem = (error as Error).message;
        if (isWanted) setState((old) => ({ ...(old.key === key ? old : {}), key, problem }));
      }
      const took = performance.now() - start;
      setTimeout(
        () => {
          isReading = false;
          if (isStale && isWanted) void refresh();
        },
        Math.max(pauseMs, took * pauseFactor),
      );
    };
    const listener: Listener = (topic) => {
      if (topics.includes(topic)) void refresh();
    };
    listeners.add(listener);
    setReload(() => () => void refresh());
    void refresh();
    return () => {
      isWanted = false;
      listeners.delete(listener);
    };
  }, [key]);
  const isOwn = state.key === key;
  return {
    value: isOwn ? state.value : undefined,
    problem: isOwn ? state.problem : undefined,
    reload,
  };
}
