/** Calls about copies of the job queue. */
import { dataDirectory, type QueueCalls } from "@ganeti-ts/node-calls";
import type { HostState } from "./node-state.js";
import { type CallsOnHost, NodeFault } from "./site.js";

const queueDirectory = `${dataDirectory}/queue`;
const drainFile = `${queueDirectory}/drain`;

function checkPath(path: string): void {
  if (path.startsWith(`${queueDirectory}/`)) return;
  throw new NodeFault(
    `Passed job queue file '${path}' does not belong to the queue directory '${queueDirectory}'`,
  );
}

export const queueOperations: CallsOnHost<keyof QueueCalls> = {
  jobqueue_update({ host }, { path, content }) {
    checkPath(path);
    host.files[path] = content;
  },
  jobqueue_rename({ host }, { renames }) {
    for (const { from, to } of renames) {
      checkPath(from);
      checkPath(to);
    }
    return renames.map(({ from, to }) => renamed(host, from, to));
  },
  jobqueue_purge({ host }) {
    for (const path of Object.keys(host.files)) {
      if (/\/queue\/(archive\/\d+\/)?job-\d+$/.test(path)) delete host.files[path];
    }
  },
  jobqueue_set_drain_flag({ host }, { drained }) {
    if (drained) host.files[drainFile] = "";
    else delete host.files[drainFile];
  },
};

/** A file that was renamed before is left as it is. */
function renamed(host: HostState, from: string, to: string): null {
  const content = host.files[from];
  if (content === undefined && host.files[to] === undefined) {
    throw new NodeFault(`Cannot rename '${from}' to '${to}': No such file or directory`);
  }
  if (content !== undefined) {
    delete host.files[from];
    host.files[to] = content;
  }
  return null;
}
