// `gnt-cluster command` and `copyfile` by our server, compared with those of Ganeti on the same nodes: both go over ssh.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  benchUnavailable,
  type Outcome,
  type ReferenceBench,
  withReferenceCluster,
} from "@ganeti-ts/reference";
import { describe, expect, test } from "vitest";
import { ownServer } from "./traced-run.js";

const problem = benchUnavailable();
if (problem !== undefined) console.warn(`SKIPPED, no test has run here: ${problem}`);

const program = fileURLToPath(new URL("../../../gnt/dist/gnt-cluster.js", import.meta.url));

/** Runs `gnt-cluster` on the master. */
type Run = (...args: string[]) => Promise<Outcome>;

const commands: readonly (readonly string[])[] = [
  ["echo $GANETI_HOSTNAME"],
  ["-M", "echo one; echo two; printf three"],
  ["--failure-only", "test $GANETI_HOSTNAME != node2.example.com"],
  ["-n", "node3.example.com", "echo", "several", "words;", "exit", "7"],
  ["-g", "g2", "echo wrong >&2; false"],
  ["-n", "node9.example.com", "true"],
  ["-g", "nowhere", "true"],
  [],
];

/** Runs `use` with Ganeti's command, then with ours, and gives both results. */
async function both<T>(
  bench: ReferenceBench,
  use: (run: Run) => Promise<T>,
): Promise<{ readonly original: T; readonly ours: T }> {
  const original = await use((...args) => bench.attempt("gnt-cluster", args));
  const server = await ownServer(bench);
  const environment = { GANETI_TS_DATA: server.data };
  const run: Run = (...args) =>
    bench.attempt(process.execPath, [program, ...args], { environment });
  const ours = await use(run).finally(() => server.stop());
  return { original, ours };
}

describe.skipIf(problem !== undefined)("On nodes of Ganeti, over ssh,", () => {
  test("commands print and return what they do with Ganeti", () =>
    withReferenceCluster({}, async (bench) => {
      const { original, ours } = await both(bench, async (run) => {
        const ends: Outcome[] = [];
        for (const words of commands) ends.push(await run("command", ...words));
        const broken = await run("command", "-n", "node2.example.com", "kill -9 $$");
        return { ends, broken };
      });
      expect(ours.ends).toEqual(original.ends);
      // Named in docs/differences.md of apps/gnt: ssh itself says nothing.
      const said = "ssh: no connection to node2.example.com, or it broke\n";
      expect(original.broken.stdout.split("\n").slice(1)).toEqual([
        ...["node: node2.example.com", "", "return code = 255", ""],
      ]);
      const stdout = original.broken.stdout.replace("\n\n", `\n${said}\n`);
      expect(ours.broken).toEqual({ ...original.broken, stdout });
    }));

  test("files are copied as they are with Ganeti", () =>
    withReferenceCluster({}, async (bench) => {
      const roots = bench.nodes.map(({ root }) => root);
      const [first = "", second = "", third = ""] = roots;
      const path = (name: string) => `${bench.master.insideRoot}/etc/${name}`;
      writeFileSync(join(first, "etc/motd"), "Grüße\n'quoted' \"twice\" \\ $HOME\n");
      chmodSync(join(first, "etc/motd"), 0o640);
      writeFileSync(join(first, "etc/empty"), "");
      mkdirSync(join(first, "etc/only-here"));
      writeFileSync(join(first, "etc/only-here/x"), "x");
      const copies = () =>
        ["motd", "empty", "only-here/x"].map((name) =>
          [second, third].map((root) => {
            const file = join(root, "etc", name);
            if (!existsSync(file)) return "";
            const found = [(statSync(file).mode & 0o7777).toString(8), readFileSync(file, "utf8")];
            rmSync(file);
            return found;
          }),
        );
      const { original, ours } = await both(bench, async (run) => {
        const ends = [
          await run("copyfile", path("motd")),
          await run("copyfile", "-n", "node3.example.com", path("empty")),
          await run("copyfile", path("none")),
          await run("copyfile", "-n", "node1.example.com", path("motd")),
        ];
        // Neither folder is there: the copy fails.
        const failing = await run("copyfile", path("only-here/x"));
        return { ends, failing, copies: copies() };
      });
      expect(ours.ends).toEqual(original.ends);
      expect(ours.copies).toEqual(original.copies);
      expect(original.copies.flat().filter((copy) => copy !== "")).toHaveLength(3);
      // Named in docs/differences.md of apps/gnt.
      const whole = `Copy of file ${path("only-here/x")} to node`;
      expect(original.failing).toMatchObject({ status: 0, stdout: "" });
      expect(original.failing.stderr).toContain(`${whole} node3.example.com:22 failed\n`);
      expect(ours.failing).toMatchObject({ status: 1, stdout: "" });
      expect(ours.failing.stderr).toMatch(`${whole} node3.example.com failed: `);
    }));
});
