/** unlessAborted: an answer that a caller may give up. */
import { failed, type NodeAnswer, type NodeCaller } from "@ganeti-ts/node-calls";

/** The answer, or a failed one as soon as the signal is aborted. */
export function unlessAborted<T>(
  done: Promise<NodeAnswer<T>>,
  signal: NodeCaller["signal"],
): Promise<NodeAnswer<T>> {
  return new Promise((resolve, reject) => {
    const stop = () => resolve(failed("Call was given up"));
    if (signal.aborted) return stop();
    signal.addEventListener("abort", stop);
    const ended = () => signal.removeEventListener("abort", stop);
    done.then(
      (answer) => {
        ended();
        resolve(answer);
      },
      (error) => {
        ended();
        reject(error);
      },
    );
  });
}
