/** Machine of the present process. */
import { closeSync, openSync, readFileSync, readSync, writeSync } from "node:fs";
import type { Terminal } from "./invocation.js";
import type { Machine } from "./machine.js";

export function processMachine(): Machine {
  const { env, stdout } = process;
  const interruption = new AbortController();
  process.once("SIGINT", () => {
    interruption.abort();
    // A second Ctrl-C ends the process immediately.
    process.once("SIGINT", () => process.exit(130));
  });
  return {
    env,
    write: (text) => writeAll(1, text),
    writeError: (text) => writeAll(2, text),
    terminal: stdout.isTTY && env.TERM !== "dumb" ? terminalOf(stdout, env) : undefined,
    signal: interruption.signal,
    now: () => BigInt(Date.now()) * 1_000_000n,
    read: (file) => readFileSync(file === "-" ? 0 : file, "utf8"),
    uid: process.getuid?.() ?? -1,
    askTerminal,
  };
}

const terminalOf = (stdout: NodeJS.WriteStream, env: NodeJS.ProcessEnv): Terminal => ({
  // The stream's own figures are only updated by signals that it receives.
  get columns() {
    return stdout.getWindowSize()[0] || 80;
  },
  get rows() {
    return stdout.getWindowSize()[1] || 24;
  },
  colour: !env.NO_COLOR,
  reflows: reflows(env),
  onResize: (listener) => {
    stdout.on("resize", listener);
    return () => stdout.off("resize", listener);
  },
  onResume: (listener) => {
    process.on("SIGCONT", listener);
    return () => process.off("SIGCONT", listener);
  },
});

/**
 * Most terminals do. Exceptions are xterm, the console of Linux and screen; tmux within any of them
 * does.
 */
const reflows = ({ TMUX, XTERM_VERSION, STY, TERM }: NodeJS.ProcessEnv): boolean =>
  Boolean(TMUX) || !(XTERM_VERSION || STY || TERM === "linux");

/** Synchronous, so that nothing is lost when the process ends; a closed reader ends the process. */
function writeAll(descriptor: number, text: string): void {
  let bytes = Buffer.from(text);
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(writeSync(descriptor, bytes));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EPIPE") process.exit(1);
      // The reader of the pipe is slower than this process.
      if (code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

/** The answer up to the end of its line; undefined without a terminal, or if it was closed. */
async function askTerminal(question: string): Promise<string | undefined> {
  let terminal: number;
  try {
    terminal = openSync("/dev/tty", "r+");
  } catch {
    return undefined;
  }
  try {
    writeSync(terminal, question);
    const bytes = Buffer.alloc(1024);
    const length = readSync(terminal, bytes);
    return length === 0 ? undefined : bytes.toString("utf8", 0, length);
  } finally {
    closeSync(terminal);
  }
}
