/** A shell on a twin: commands in it act on the twin, also those of Ganeti, whatever cluster this machine belongs to. */
import { spawn } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { ExitCode } from "../../command.js";
import { Ending } from "../../errors.js";
import type { Invocation } from "../../invocation.js";
import { commandFolders } from "../../neighbours.js";
import { quotedWord } from "../../parsing/shell-words.js";
import { RemoteCluster } from "../../remote/remote-cluster.js";

/** Would lead our commands to another cluster. */
const elsewhere = ["URL", "USER", "PASSWORD", "CA"].map((name) => `GANETI_RAPI_${name}`);

/** Whether the cluster of a data directory is a twin. */
export const isTwin = (dataDirectory: string): boolean =>
  existsSync(join(dataDirectory, "twin.json"));

/** Runs the shell until it is left. The server of the twin must answer. @throws Ending */
export async function twinShell({
  dataDirectory,
  env,
  out,
  signal,
}: Pick<Invocation, "dataDirectory" | "env" | "out" | "signal">): Promise<ExitCode> {
  const folder = resolve(dataDirectory);
  // The environment may name another cluster.
  const socketPath = join(folder, "rapi.sock");
  const twin = new RemoteCluster({ url: "http://localhost", socketPath, signal });
  const { name, master } = await twin.info();
  const start = join(folder, "twin-shell.sh");
  const variables = {
    GANETI_TS_DATA: folder,
    // Ganeti's own programs take these for their machine and its files.
    GANETI_HOSTNAME: String(master),
    GANETI_ROOTDIR: join(folder, "vroot", String(master)),
  };
  writeFileSync(start, startFile(variables, String(name)), { mode: 0o644 });
  out.line(`Commands in this shell act on the twin of ${name}, in ${folder}; exit leaves it.`);
  const bash = "/bin/bash";
  const [program, words] = existsSync(bash)
    ? [bash, ["--rcfile", start, "-i"]]
    : ["/bin/sh", ["-i"]];
  const shell = spawn(program, words, {
    stdio: "inherit",
    // Read by shells other than bash.
    env: { ...env, ...variables, ENV: start } as NodeJS.ProcessEnv,
  });
  return new Promise((resolve, reject) => {
    shell.on("error", (error) => reject(new Ending(`${program}: ${error.message}`)));
    shell.on("exit", () => resolve(0));
  });
}

/** Read by the shell at its start, after the user's own file, which may set PATH and prompt. */
function startFile(variables: Readonly<Record<string, string>>, name: string): string {
  const lines = [
    '[ -z "$BASH" ] || [ ! -f ~/.bashrc ] || . ~/.bashrc',
    "unalias -a",
    `unset ${elsewhere.join(" ")}`,
    ...Object.entries(variables).map(([key, value]) => `export ${key}=${quotedWord(value)}`),
    `export PATH=${quotedWord(commandFolders())}:"$PATH"`,
    `PS1=${quotedWord(`[twin of ${name}] `)}"\${PS1-\\$ }"`,
  ];
  return `${lines.join("\n")}\n`;
}
