import type { Room } from "./machines.js";

export interface Followed {
  /** Lines as they arrive; throws after a silence of this length (ms). */
  lines(silenceMs: number): AsyncIterable<string>;
  stop(): void;
}

/** Reads the serial console of an instance on its node, in the same way as the node daemon connects to it. */
export function followConsole(
  room: Room,
  node: string,
  instance: string,
  signal: AbortSignal,
): Followed {
  const socket = `/run/ganeti/kvm-hypervisor/ctrl/${instance}.serial`;
  const child = room.spawn(node, ["socat", "-u", `UNIX-CONNECT:${socket}`, "STDOUT"], "pipe");
  return {
    stop: () => void child.kill(),
    async *lines(silenceMs) {
      let rest = "";
      const stdout = child.stdout as NodeJS.ReadableStream;
      stdout.setEncoding("utf8");
      const timer = setTimeout(() => child.kill(), silenceMs);
      const stop = () => child.kill();
      signal.addEventListener("abort", stop);
      try {
        for await (const part of stdout) {
          timer.refresh();
          const lines = `${rest}${part}`.split(/\r?\n/);
          rest = lines.pop() ?? "";
          for (const line of lines) {
            const text = plain(line);
            if (text !== "") yield text;
          }
        }
        signal.throwIfAborted();
      } finally {
        clearTimeout(timer);
        signal.removeEventListener("abort", stop);
      }
    },
  };
}

/** The line without terminal control sequences. */
const plain = (line: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are control sequences
  line.replaceAll(/\x1b\[[0-9;?]*[A-Za-z]|\r/g, "").trim();
