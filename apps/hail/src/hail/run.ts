/**
 * hail: reads an allocator request, answers it on stdout.
 *
 * bytes → message (protocol) → cluster (htools) → answer (htools) → one line of JSON (protocol).
 * All other requested output (warnings, tables, dumps) is printed on the way, on stderr.
 */
import {
  answerRequest,
  type Cluster,
  DataError,
  type LoadOptions,
  writeClusterText,
} from "@ganeti-ts/htools";
import { type AllocatorRequest, decodeMessage, encodeAnswer } from "@ganeti-ts/protocol";
import { readInput } from "../loading/input.js";
import type { Ports } from "../ports.js";
import { saveState } from "../printing/saved-state.js";
import { nodeTableText } from "../printing/tables.js";
import { print, refusalText } from "../program.js";
import { sourceCluster } from "./cluster-source.js";
import { clusterLines, requestLines } from "./received.js";
import type { HailSettings } from "./settings.js";

/** Returns 0: every well-formed request gets an answer, which may be a refusal. */
export async function runHail(
  settings: HailSettings,
  operands: readonly string[],
  ports: Ports,
): Promise<number> {
  await answer(inputFile(operands), settings, ports);
  return 0;
}

function inputFile(operands: readonly string[]): string {
  const [file, ...further] = operands;
  if (file === undefined) throw new DataError("This program needs an input file.");
  if (further.length > 0) throw new DataError("Only one argument is accepted (the input file)");
  return file;
}

async function answer(file: string, settings: HailSettings, ports: Ports): Promise<void> {
  const message = decodeMessage(readInput(file, ports));
  const { request } = message;
  const { cluster, load } = await sourceCluster(message, settings, ports);
  if (settings.verbosity >= 2) ports.stderr(requestLines(request, cluster.data));
  if (settings.verbosity >= 3) ports.stderr(clusterLines(cluster.data));

  const before = { table: table("Initial", cluster, settings), dump: dump(cluster, settings) };
  const answered = answerRequest(cluster, request, { ...settings, newcomerUnnumbered: true });
  const { answer, dedicated } = answered;
  if (dedicated && settings.verbosity >= 2) {
    ports.stderr("Allocation on a dedicated cluster; using lost-allocations metrics.\n");
  }
  ports.stderr(before.table);
  save("pre-ialloc", "before", before.dump, settings, ports);
  await print(encodeAnswer(answer), ports);
  if (showsAfter(settings)) {
    const { after } = answered;
    ports.stderr(table("Final", after, settings));
    save("post-ialloc", "after", dump(after, settings), settings, ports);
  }
  if (settings.explain) await explainAnswer(cluster, request, settings, load, ports);
}

/** The answer is already on stdout; a fault in explaining it must not change the exit code. */
async function explainAnswer(
  cluster: Cluster,
  request: AllocatorRequest,
  settings: HailSettings,
  load: LoadOptions,
  ports: Ports,
): Promise<void> {
  try {
    const { explain } = await import("./explanation/explain.js");
    ports.stderr(
      explain(cluster, request, settings, load, (await ports.terminal("stderr"))?.colour ?? false),
    );
  } catch (error) {
    ports.stderr(`${refusalText("hail", error)}\n`);
  }
}

/** The cluster after the answer is made only for these. */
const showsAfter = ({ printNodes, save }: HailSettings): boolean =>
  printNodes !== undefined || save !== undefined;

/** Empty unless the table was requested. */
const table = (title: string, cluster: Cluster, settings: HailSettings): string =>
  nodeTableText(`${title} cluster`, cluster, settings);

const dump = (cluster: Cluster, { save }: HailSettings): string =>
  save === undefined ? "" : writeClusterText(cluster);

const save = (
  suffix: string,
  when: string,
  text: string,
  settings: HailSettings,
  ports: Ports,
): void => saveState(suffix, `${when} iallocator run`, text, settings, ports);
