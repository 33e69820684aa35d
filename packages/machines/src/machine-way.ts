/** Machine: runs scripts as root on this machine, or on others with the system's ssh. */
import { spawn } from "node:child_process";
import { MachineError } from "./machine-error.js";

/** Result of a script: its exit code (null after a signal) and its output. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A machine on which scripts can be run. */
export interface Machine {
  /** Name for messages. */
  readonly name: string;
  /** Runs an `sh` script with this standard input; resolves when it has ended. Rejects with MachineError if it cannot be run. */
  run(script: string, input?: string | Uint8Array): Promise<Ended>;
}

/** The machine that this process runs on. */
export const thisMachine = (name: string): Machine => ({
  name,
  run: (script, input) => ended("sh", ["-c", script], input),
});

export interface SshWay {
  readonly host: string;
  readonly port: number;
  /** Additional options, before the host. */
  readonly options: readonly string[];
}

/** Exit code of ssh if the connection failed. */
const noConnection = 255;

export const machineBySsh = ({ host, port, options }: SshWay): Machine => ({
  name: host,
  async run(script, input) {
    const words = [...options, `-oPort=${port}`, `root@${host}`, script];
    const end = await ended("ssh", words, input);
    if (end.code !== noConnection) return end;
    throw new MachineError(`ssh to root@${host}: ${end.stderr.trim() || "no connection"}`);
  },
});

function ended(program: string, words: readonly string[], input: string | Uint8Array = "") {
  const child = spawn(program, words, { stdio: ["pipe", "pipe", "pipe"] });
  const texts = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream].setEncoding("utf8").on("data", (part: string) => {
      texts[stream] += part;
    });
  }
  // A script that does not read its input causes EPIPE.
  child.stdin.on("error", () => {}).end(input);
  return new Promise<Ended>((resolve, reject) => {
    child.on("error", (error) => reject(new MachineError(`${program}: ${error.message}`)));
    child.on("close", (code) => resolve({ code, ...texts }));
  });
}

/** Runs a script and returns its output. @throws MachineError with the output if the script fails */
export async function mustRun(machine: Machine, script: string, input?: string | Uint8Array) {
  const { code, stdout, stderr } = await machine.run(script, input);
  if (code === 0) return stdout;
  throw new MachineError(
    `${machine.name}: ${stderr.trim() || stdout.trim() || `exit code ${code}`}`,
  );
}

/** Quotes a word for a shell's command line. */
export const shellWord = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;
