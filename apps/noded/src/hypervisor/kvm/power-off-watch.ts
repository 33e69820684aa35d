/** Watch for guests that power themselves off: a mark file distinguishes them from failed instances. */
import { basename } from "node:path";
import type { NodeContext } from "../../context.js";
import { makeFolder, namesIn, removeIfThere, replaceFile } from "../state-files.js";
import type { KvmFiles } from "./files.js";
import { openQmp, type QmpEvent } from "./qmp.js";

export interface PowerOffWatch {
  /** Watches an instance until it ends; does nothing if it is being watched already. */
  follow(name: string): void;
  /** Watches all running instances; called after the start of the daemon. */
  followAll(): Promise<void>;
  close(): void;
}

/** Whether the events of an instance's life end with a shutdown by its own guest. */
export function isOwnPowerOff(events: readonly QmpEvent[]): boolean {
  let isAsked = false;
  let isStopped = false;
  let isOff = false;
  for (const { event, data } of events) {
    if (event === "POWERDOWN") isAsked = true;
    if (event === "STOP") isStopped = true;
    if (event === "RESUME") isStopped = false;
    // QEMU before version 4 gives no reason.
    if (event === "SHUTDOWN") isOff = !data.reason || data.reason === "guest-shutdown";
  }
  return isOff && !isAsked && !isStopped;
}

const counted: ReadonlySet<string> = new Set(["POWERDOWN", "STOP", "RESUME", "SHUTDOWN"]);

export function powerOffWatch(
  { log, ssconf }: Pick<NodeContext, "log" | "ssconf">,
  files: KvmFiles,
): PowerOffWatch {
  const open = new Map<string, () => void>();
  let isClosed = false;
  const isWanted = async (): Promise<boolean> =>
    (await ssconf("enabled_user_shutdown").catch(() => []))[0] === "True";

  async function watch(name: string): Promise<void> {
    const { watch: socket, shutdownMark } = files.of(name);
    const connection = await openQmp(socket);
    if (isClosed) return connection.close();
    open.set(name, connection.close);
    const events: QmpEvent[] = [];
    connection.onEvent((event) => {
      if (counted.has(event.event)) events.push(event);
    });
    await connection.closed;
    if (isClosed) return;
    if (isOwnPowerOff(events) && (await isWanted())) {
      await makeFolder(files.control, 0o775);
      await replaceFile(shutdownMark, "");
    } else await removeIfThere(shutdownMark);
  }

  const follow = (name: string): void => {
    if (isClosed || open.has(name)) return;
    open.set(name, () => {});
    watch(name)
      .catch((error: Error) => log.warn(`${name}: its end cannot be watched: ${error.message}`))
      .finally(() => open.delete(name));
  };
  return {
    follow,
    async followAll() {
      for (const file of await namesIn(files.control)) {
        if (file.endsWith(".kvmd")) follow(basename(file, ".kvmd"));
      }
    },
    close() {
      isClosed = true;
      for (const close of open.values()) close();
    },
  };
}
