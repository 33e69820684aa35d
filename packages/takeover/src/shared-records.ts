/** sharedRecords: calls in flight and places of servers in the database that several servers share. */
import { readFile } from "node:fs/promises";
import type { PostgresServers, ServerPlace } from "@ganeti-ts/store/postgres";
import type { CallRecords, SentCall } from "./calls-in-flight.js";

/** A call to record, with the callbacks of its caller's promise. */
interface Waiting {
  readonly call: SentCall;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Records under the lease of this server, for all of its callers. Calls that begin while others are being recorded are
 * recorded together, and so are answers.
 */
export function sharedRecords(servers: PostgresServers, lease: string): CallRecords {
  let waiting: Waiting[] = [];
  let answered: string[] = [];
  let isWriting = false;
  const write = async () => {
    if (isWriting) return;
    isWriting = true;
    while (waiting.length + answered.length > 0) {
      const [calls, keys] = [waiting, answered];
      [waiting, answered] = [[], []];
      if (calls.length > 0) {
        await servers
          .sent(
            lease,
            calls.map(({ call }) => call),
          )
          .then(
            () => calls.forEach(({ resolve }) => void resolve()),
            (error) => calls.forEach(({ reject }) => void reject(error)),
          );
      }
      if (keys.length > 0) await servers.answered(keys).catch(() => undefined);
    }
    isWriting = false;
  };
  return {
    sent: (call) =>
      new Promise((resolve, reject) => {
        waiting.push({ call, resolve, reject });
        void write();
      }),
    answered(key) {
      answered.push(key);
      void write();
    },
    leftMs: (other) => servers.leftMs(other),
  };
}

/** Identity of a process of this machine: the boot, its number, and when it began. Undefined if it does not exist. */
export async function processIdentity(pid: number): Promise<string | undefined> {
  try {
    const [boot, stat] = await Promise.all([
      readFile("/proc/sys/kernel/random/boot_id", "utf8"),
      readFile(`/proc/${pid}/stat`, "utf8"),
    ]);
    // Its name, in parentheses, may contain blanks. A zombie does nothing any more.
    const [state, ...others] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return state === "Z" || state === "X" ? undefined : `${boot.trim()} ${pid} ${others[18]}`;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ESRCH") return undefined;
    throw error;
  }
}

/** Whether the process of a server on this machine still exists. */
export async function isAlive({ process: identity }: Pick<ServerPlace, "process">) {
  const pid = Number(identity.split(" ")[1]);
  return (await processIdentity(pid)) === identity;
}
