/** The recorded operations of Ganeti's master and how each ended on nodes of its own, from the tests of the server. */
import { readFileSync } from "node:fs";
import type { ReferenceBench } from "@ganeti-ts/reference";

const read = (path: string) =>
  JSON.parse(readFileSync(new URL(`../../../rapi/test/${path}`, import.meta.url), "utf8"));

const ends = new Map<string, number>(
  read("fixtures/ganeti-traces.json").map(({ name, exit }: { name: string; exit: number }) => [
    name,
    exit,
  ]),
);

/** In the order in which they have to run: each one builds on those before it. */
export const operations: readonly { readonly name: string; readonly command: string }[] =
  read("ganeti/operations.json");

/** Operations that end well on our nodes: disks that exist already are taken, since a call may be repeated. */
const betterHere: ReadonlySet<string> = new Set([
  ...["file: recreate one disk that exists", "drbd: recreate disks"],
]);

/**
 * Runs the operations whose name matches by Ganeti's master; those that ended otherwise than they did on Ganeti's nodes.
 * `isAllOurs`: no node has Ganeti's daemon.
 */
export async function deviations(
  bench: ReferenceBench,
  { names, isAllOurs }: { readonly names: RegExp; readonly isAllOurs: boolean },
): Promise<readonly object[]> {
  const found: object[] = [];
  for (const { name, command } of operations.filter((one) => names.test(one.name))) {
    const [program = "", ...args] = command.split(" ");
    const { status, stdout, stderr } = await bench.attempt(program, args);
    const expected = isAllOurs && betterHere.has(name) ? 0 : ends.get(name);
    if (status === expected) continue;
    found.push({ name, status, output: `${stdout}${stderr}`.slice(-1000) });
  }
  return found;
}

/** Faults that `gnt-cluster verify` reports, sorted. */
export async function faultsOf(bench: ReferenceBench): Promise<readonly string[]> {
  const { stdout } = await bench.attempt("gnt-cluster", ["verify"]);
  const lines = stdout.split("\n").flatMap((line) => /- (?:ERROR|WARNING): .*/.exec(line) ?? []);
  return lines.toSorted();
}
