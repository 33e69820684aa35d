/**
 * hail: reads an allocator request, answers it on stdout.
 *
 * bytes → message (protocol) → cluster (htools) → answer (htools) → one line of JSON (protocol).
 * Everything else that is asked for (warnings, tables, dumps) is printed on the way, on stderr.
 */
import {
  answerRequest,
  type Cluster,
  DataError,
  type LoadOptions,
  writeClusterText,
} from "@ganeti-ts/htools";
import {
  type AllocatorRequest,
  decodeMessage,
  encodeAnswer,
  MessageError,
} from "@ganeti-ts/protocol";
import { sourceCluster } from "./cluster-source.js";
import { readCommandLine } from "./command-line.js";
import { FileError, onFile } from "./file-error.js";
import { nodeTable } from "./node-table.js";
import type { Ports } from "./ports.js";
import { hail } from "./program.js";
import { clusterLines, requestLines } from "./received.js";
import { defaultSettings, type Settings } from "./settings.js";

/** Gives the exit code: 0 answered, 1 refused, 2 wrong options. Never rejects for a bad input. */
export async function runHail(argv: readonly string[], ports: Ports): Promise<number> {
  try {
    const settings = defaultSettings();
    const commandLine = readCommandLine(hail, argv, settings);
    switch (commandLine.kind) {
      case "print":
        print(commandLine.text, ports);
        return 0;
      case "refuse":
        ports.stderr(commandLine.text);
        return commandLine.exitCode;
      case "run":
        await answer(inputFile(commandLine.operands), settings, ports);
        return 0;
    }
  } catch (error) {
    const nobodyReads = error instanceof FileError && error.code === "EPIPE";
    if (!nobodyReads) ports.stderr(`${refusalText(error)}\n`);
    return 1;
  }
}

function inputFile(operands: readonly string[]): string {
  const [file, ...further] = operands;
  if (file === undefined) throw new DataError("This program needs an input file.");
  if (further.length > 0) throw new DataError("Only one argument is accepted (the input file)");
  return file;
}

async function answer(file: string, settings: Settings, ports: Ports): Promise<void> {
  const message = decodeMessage(readInput(file, ports));
  const { request } = message;
  const { cluster, load } = await sourceCluster(message, settings, ports);
  if (settings.verbosity >= 2) ports.stderr(requestLines(request, cluster.data));
  if (settings.verbosity >= 3) ports.stderr(clusterLines(cluster.data));

  const before = { table: table("Initial", cluster, settings), dump: dump(cluster, settings) };
  const { answer, after, dedicated } = answerRequest(cluster, request, settings);
  if (dedicated && settings.verbosity >= 2) {
    ports.stderr("Allocation on a dedicated cluster; using lost-allocations metrics.\n");
  }
  ports.stderr(before.table);
  save("pre-ialloc", "before", before.dump, settings, ports);
  print(encodeAnswer(answer), ports);
  ports.stderr(table("Final", after, settings));
  save("post-ialloc", "after", dump(after, settings), settings, ports);
  if (settings.explain) await explainAnswer(cluster, request, settings, load, ports);
}

/** The answer is given: a fault in explaining it must not take it back. */
async function explainAnswer(
  cluster: Cluster,
  request: AllocatorRequest,
  settings: Settings,
  load: LoadOptions,
  ports: Ports,
): Promise<void> {
  try {
    const { explain } = await import("./explanation/explain.js");
    ports.stderr(explain(cluster, request, settings, load, await ports.wantsColour()));
  } catch (error) {
    ports.stderr(`${refusalText(error)}\n`);
  }
}

const print = (text: string, { stdout }: Ports) => onFile("<stdout>", () => stdout(text));

function readInput(file: string, { readFile, readStdin }: Ports): Uint8Array {
  return file === "-" ? onFile("<stdin>", readStdin) : onFile(file, () => readFile(file));
}

/** Empty if no table is wanted. */
function table(title: string, cluster: Cluster, { printNodes, simulate }: Settings): string {
  if (printNodes === undefined) return "";
  const firstIndex = simulate.length > 0 ? 1 : 0;
  return `\n${title} cluster status:\n${nodeTable(cluster, printNodes, firstIndex)}\n`;
}

const dump = (cluster: Cluster, { save }: Settings): string =>
  save === undefined ? "" : writeClusterText(cluster);

function save(suffix: string, when: string, text: string, settings: Settings, ports: Ports): void {
  if (settings.save === undefined) return;
  const path = `${settings.save}.${suffix}`;
  onFile(path, () => ports.writeFile(path, text));
  ports.stderr(`The cluster state ${when} iallocator run has been written to file '${path}'\n`);
}

/** One line for a person; what is no fault of the input is a fault of ours, and says so. */
function refusalText(error: unknown): string {
  if (error instanceof DataError || error instanceof MessageError) return `Error: ${error.message}`;
  if (error instanceof FileError) return `hail: ${error.message}`;
  if (process.env.GANETI_TS_DEBUG === "1") return String((error as Error)?.stack ?? error);
  const [line] = String(error).split("\n", 1);
  return `hail: internal error: ${line} (GANETI_TS_DEBUG=1 shows where)`;
}
