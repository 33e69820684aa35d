/** Worker of the simulator: runs one task at a time, reports progress, and stops on request. */
import { loadCluster, writeClusterText } from "@ganeti-ts/htools";
import type { ClusterData } from "@ganeti-ts/protocol";
import { type ClusterState, clusterState } from "./figures.js";
import type { Operation, Report, Source } from "./operations.js";
import { OperationFault, said } from "./placing.js";
import { readSource, runOperation } from "./run-operation.js";

/** Messages to the worker. */
export type Task =
  | { readonly id: number; readonly task: "read"; readonly source: Source }
  | {
      readonly id: number;
      readonly task: "run";
      readonly data: ClusterData;
      readonly operation: Operation;
    }
  | { readonly id: number; readonly task: "text"; readonly data: ClusterData }
  | { readonly task: "stop" };

/** A cluster with its figures, and the report of the operation that led to it. */
export interface Stage {
  readonly data: ClusterData;
  readonly state: ClusterState;
  readonly report: Report;
}

/** Messages from the worker. */
export type Reply =
  | { readonly id: number; readonly progress: string }
  | { readonly id: number; readonly stage: Stage }
  | { readonly id: number; readonly text: string }
  | { readonly id: number; readonly fault: string };

/** Interval (ms) at which a running operation reports progress and reads messages. */
const paceMs = 50;

let stopped = false;
const send = (reply: Reply) => postMessage(reply);
const nextTurn = () => new Promise<void>((resolve) => setTimeout(resolve));

const pacedFor = (id: number) => {
  let last = performance.now();
  return async (progress: string): Promise<boolean> => {
    if (performance.now() - last < paceMs) return !stopped;
    send({ id, progress });
    await nextTurn();
    last = performance.now();
    return !stopped;
  };
};

const stageOf = (data: ClusterData, report: Report): Stage => ({
  ...{ data, report },
  state: clusterState(data),
});

async function replyTo(task: Exclude<Task, { task: "stop" }>): Promise<Reply> {
  const { id } = task;
  switch (task.task) {
    case "read": {
      const data = readSource(task.source);
      const { nodes, instances } = data;
      return {
        id,
        stage: stageOf(data, said(`${nodes.length} nodes, ${instances.length} instances`)),
      };
    }
    case "run": {
      const { data, report } = await runOperation(task.data, task.operation, pacedFor(id));
      return { id, stage: stageOf(data, report) };
    }
    case "text":
      return { id, text: writeClusterText(loadCluster(task.data)) };
  }
}

addEventListener("message", async ({ data: task }: MessageEvent<Task>) => {
  if (task.task === "stop") {
    stopped = true;
    return;
  }
  stopped = false;
  try {
    send(await replyTo(task));
  } catch (error) {
    const isExpected = error instanceof OperationFault;
    const text = error instanceof Error ? error.message : String(error);
    send({ id: task.id, fault: isExpected ? text : `a fault of the simulator: ${text}` });
  }
});
