/** Engine: promises for the tasks of the worker, one at a time, with progress and two ways to stop. */
import type { ClusterData } from "@ganeti-ts/protocol";
import type { Operation, Source } from "./operations.js";
import type { Reply, Stage, Task } from "./worker.js";

/** Time (ms) after which a worker that does not react to a stop is terminated; its task then has no result. */
const patienceMs = 1_500;

/** A refused task: the message is for the user. */
class Refusal extends Error {}

interface Pending {
  readonly id: number;
  readonly onProgress: (text: string) => void;
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: Error) => void;
}

/** Runs tasks in a worker that `makeWorker` creates. */
export class Engine {
  readonly #makeWorker: () => Worker;
  #worker: Worker | undefined;
  #pending: Pending | undefined;
  #tasks = 0;

  constructor(makeWorker: () => Worker) {
    this.#makeWorker = makeWorker;
  }

  /** @throws Refusal for input that is not a cluster */
  async read(source: Source): Promise<Stage> {
    return stageIn(await this.#done((id) => ({ id, task: "read", source })));
  }

  /** @throws Refusal if the operation was refused, or stopped without a result */
  async run(
    data: ClusterData,
    operation: Operation,
    onProgress: (text: string) => void,
  ): Promise<Stage> {
    return stageIn(await this.#done((id) => ({ id, task: "run", data, operation }), onProgress));
  }

  /** The cluster in the text format of `hbal -S`. */
  async text(data: ClusterData): Promise<string> {
    const reply = await this.#done((id) => ({ id, task: "text", data }));
    return "text" in reply ? reply.text : "";
  }

  /** Ends the running task after its current step; a step that takes too long is cut off. */
  stop(): void {
    const { id } = this.#pending ?? {};
    if (id === undefined) return;
    this.#worker?.postMessage({ task: "stop" } satisfies Task);
    setTimeout(() => {
      if (this.#pending?.id !== id) return;
      const { reject } = this.#pending;
      this.#end();
      reject(new Refusal("stopped in the middle of a step; nothing has changed"));
    }, patienceMs);
  }

  #done(task: (id: number) => Task, onProgress: (text: string) => void = () => {}) {
    if (this.#pending) throw new Error("a task is running");
    const id = ++this.#tasks;
    const worker = this.#started();
    return new Promise<Reply>((resolve, reject) => {
      this.#pending = { id, onProgress, resolve, reject };
      worker.postMessage(task(id));
    });
  }

  #started(): Worker {
    if (this.#worker) return this.#worker;
    const worker = this.#makeWorker();
    worker.onmessage = ({ data }: MessageEvent<Reply>) => this.#receive(data);
    worker.onerror = ({ message }) => {
      const pending = this.#pending;
      this.#end();
      pending?.reject(new Error(message || "the worker of the simulator has failed"));
    };
    this.#worker = worker;
    return worker;
  }

  #receive(reply: Reply): void {
    const pending = this.#pending;
    if (pending?.id !== reply.id) return;
    if ("progress" in reply) {
      pending.onProgress(reply.progress);
      return;
    }
    this.#pending = undefined;
    if ("fault" in reply) pending.reject(new Refusal(reply.fault));
    else pending.resolve(reply);
  }

  #end(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#pending = undefined;
  }
}

function stageIn(reply: Reply): Stage {
  if (!("stage" in reply)) throw new Error("the worker sent another reply than a cluster");
  return reply.stage;
}
