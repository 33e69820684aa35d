/** Recorded operations of Ganeti's master and their outcomes on Ganeti's nodes, from the tests of the server. */
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

/** Operations in the order in which they must run: each depends on the previous ones. */
export const operations: readonly { readonly name: string; readonly command: string }[] =
  read("ganeti/operations.json");

/** Operations that fail on Ganeti's nodes but succeed on ours, which accept existing disks because calls may be repeated. */
const betterHere: ReadonlySet<string> = new Set([
  ...["file: recreate one disk that exists", "drbd: recreate disks"],
]);

/**
 * Runs the operations with matching names on Ganeti's master; returns those with another outcome than on Ganeti's nodes.
 * `isAllOurs`: all nodes have our daemon.
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
