/** Runner of command lines on a machine without terminal, files or network. */
import type { Cluster } from "../src/cluster.js";
import type { Program } from "../src/command.js";
import type { Machine } from "../src/machine.js";
import { shellWords } from "../src/parsing/shell-words.js";
import type { Connect } from "../src/remote/connect.js";
import { runProgram } from "../src/run-program.js";
import { fakeCluster } from "./fake-cluster.js";

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Circumstances extends Partial<Omit<Machine, "write" | "writeError">> {
  readonly cluster?: Cluster;
  /** Input at the terminal, one line per question; undefined for no terminal. */
  readonly typed?: readonly string[];
  readonly dataDirectory?: string;
  /** Instead of `cluster` and `dataDirectory`. */
  readonly connect?: Connect;
}

/** `line` is split as by a shell, without the program's name. */
export async function runLine(
  program: Program,
  line: string,
  {
    cluster = fakeCluster(),
    typed,
    dataDirectory = "/nowhere",
    connect = async () => ({ dataDirectory, cluster }),
    ...machine
  }: Circumstances = {},
): Promise<Ran> {
  let [stdout, stderr] = ["", ""];
  const lines = [...(typed ?? [])];
  const code = await runProgram(
    program,
    shellWords(line),
    {
      env: {},
      write: (text) => {
        stdout += text;
      },
      writeError: (text) => {
        stderr += text;
      },
      terminal: undefined,
      signal: new AbortController().signal,
      now: () => 1_800_000_000_000_000_000n,
      read: (file) => {
        throw new Error(`ENOENT: no such file or directory, open '${file}'`);
      },
      uid: 1000,
      askTerminal: async (question) => {
        if (typed === undefined) return undefined;
        stdout += question;
        return lines.shift();
      },
      ...machine,
    },
    connect,
  );
  return { code, stdout, stderr };
}
