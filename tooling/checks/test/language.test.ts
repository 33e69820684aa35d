import { expect, test } from "vitest";
import { languageFigure, languageHits } from "../src/language.js";
import { trackedFiles } from "../src/repository.js";
import examples from "./fixtures/language-examples.json" with { type: "json" };

const asFileHead = (text: string) => [{ path: "a/src/a.ts", text: `// ${text}\nconst a = 1;\n` }];
const asDocblock = (text: string) => [
  { path: "a/src/a.ts", text: `\n/** ${text} */\nconst a = 1;` },
];

test.each(examples)(
  "the expressions find a foreign sentence and not its rewrite: $before",
  (example) => {
    const { before, after } = example;
    expect(languageHits(asFileHead(before))).not.toEqual([]);
    expect(languageHits(asDocblock(before))).not.toEqual([]);
    expect(languageHits(asDocblock(after))).toEqual([]);
  },
);

test("comments, titles of tests and Markdown are searched; strings, code and quotations are not", () => {
  // Put together here, because this file is checked as well.
  const word = "nobody";
  const text = [
    `const a = "${word}";`,
    `run(a); // ${word} reads this`,
    `// ${word}`,
    "// waits.",
    `test("${word} waits for a job", () => {});`,
    "test.each([1])(",
    `  "${word} needs a job", () => {});`,
    `const url = "https://${word}.example"; // the \`${word}\` account`,
  ].join("\n");
  const markdown = `# ${word}\n\nFor\n${word}.\n\n\`\`\`ts\n${word}();\n\`\`\`\n`;
  const hits = languageHits([
    { path: "a/src/a.ts", text },
    { path: "a/README.md", text: markdown },
    { path: "a/data.json", text: '"nobody"' },
  ]);
  expect(hits.map(({ prose }) => `${prose.path}:${prose.line}: ${prose.text}`)).toEqual([
    "a/src/a.ts:2: nobody reads this",
    "a/src/a.ts:3: nobody waits.",
    "a/src/a.ts:5: nobody waits for a job",
    "a/src/a.ts:6: nobody needs a job",
    "a/README.md:1: nobody",
    "a/README.md:3: For nobody.",
  ]);
});

/** Folders that have been gone through; a new one is added when its figure is below the limit. */
const readFolders = [
  "tooling/checks",
  "apps/hail",
  "packages/htools",
  "packages/protocol",
  "packages/job-queue",
  "packages/locking",
  "packages/config",
  "packages/store",
  "packages/allocators",
  "packages/cluster-queries",
  "packages/job-filter",
  "packages/query",
  "packages/rapi-client",
  "packages/testkit",
  "packages/command-line",
  "packages/logical-units",
  "packages/node-calls",
  "packages/simulated-nodes",
  "packages/cluster",
  "apps/gnt",
  "apps/rapi",
  "tooling/reference",
  "packages/confd",
  "packages/luxi",
  "packages/node-rpc",
  "packages/machines",
  "packages/takeover",
  "packages/twin",
  "apps/web",
  "apps/noded",
];

const files = trackedFiles();

test.each(readFolders)(
  "%s has at most one foreign turn of phrase per 1 000 lines of code",
  (folder) => {
    const { hits, lines } = languageFigure(files, folder);
    expect(lines).toBeGreaterThan(0);
    const own = files.filter(({ path }) => path.startsWith(`${folder}/`));
    const found = languageHits(own).map(
      ({ pattern, prose }) => `${prose.path}:${prose.line}: ${pattern}`,
    );
    // A small package may have one hit.
    expect(hits, found.join("\n")).toBeLessThanOrEqual(Math.max(1, lines / 1000));
  },
);
