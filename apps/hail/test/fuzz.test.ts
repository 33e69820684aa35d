// Fuzz tests: hail answers or refuses any input with a message, without an internal error.
import { randomRuns } from "@ganeti-ts/testkit";
import fc from "fast-check";
import { expect, test } from "vitest";
import { hailIn } from "./fake-ports.js";
import { wireInstance, wireMessage, wireNode } from "./message.js";

const word = fc.oneof(
  fc.constantFrom("-v", "-p", "-S", "-t", "-h", "-V", "--", "-", "--no-capacity-checks", "request"),
  fc.constantFrom("--mond=no", "--ignore-dynu", "--ignore-soft-errors", "--mond-xen", "text"),
  fc.constantFrom("--simulate=p,2,1t,64g,8", "-p+idx,plist", "--restrict-allocation-to=node1"),
  fc.stringMatching(/^--?[a-z-]{0,6}(=[\w,+]{0,4})?$/),
  fc.string({ maxLength: 5 }),
);

const text = "g|u|preferred||\n\nalpha|4096|0|4096|0|0|4|N|u\n\n\n\n";
const request = JSON.stringify(
  wireMessage({
    nodes: { node1: wireNode(), node2: wireNode({ offline: true }), node3: wireNode() },
    instances: { db: wireInstance({ nodes: ["node1", "node3"], disk_template: "drbd" }) },
  }),
);

test("no command line causes an internal error", async () => {
  const seen = new Set<number>();
  await fc.assert(
    fc.asyncProperty(fc.array(word, { maxLength: 5 }), async (argv) => {
      const files = { request, text };
      const { exitCode, stdout, stderr } = await hailIn({ files, stdin: request }, ...argv);
      seen.add(exitCode);
      expect([0, 1, 2]).toContain(exitCode);
      expect(stderr).not.toContain("internal error");
      expect(stdout === "").toBe(exitCode !== 0);
    }),
    { numRuns: randomRuns(1000) },
  );
  expect([...seen].toSorted()).toEqual([0, 1, 2]);
});

test("no corrupted message or text file causes an internal error", async () => {
  const seen = { answered: 0, refused: 0 };
  const spoil = (original: string) =>
    fc
      .record({
        at: fc.nat(original.length),
        removed: fc.nat(4),
        added: fc.oneof(
          fc.constantFrom("", "0", "-", "1e9", "null", "{}", "[]", '"', "|", "\n", "\n\n", "?"),
          fc.string({ maxLength: 3 }),
        ),
      })
      .map(
        ({ at, removed, added }) => original.slice(0, at) + added + original.slice(at + removed),
      );
  await fc.assert(
    fc.asyncProperty(spoil(request), fc.option(spoil(text)), async (message, data) => {
      const replacing = data === null ? [] : ["-t", "text"];
      const files = { request: message, text: data ?? "" };
      const argv = ["-p+plist,peermap", "-vv", "-S", "state", ...replacing, "request"];
      const { exitCode, stderr } = await hailIn({ files }, ...argv);
      if (exitCode === 0) seen.answered++;
      else seen.refused++;
      expect([0, 1]).toContain(exitCode);
      expect(stderr).not.toContain("internal error");
    }),
    { numRuns: randomRuns(1000) },
  );
  // One in forty is answered: of a thousand, two or fewer in less than one of ten million runs.
  expect(seen.answered).toBeGreaterThan(2);
  expect(seen.refused).toBeGreaterThan(10);
});
