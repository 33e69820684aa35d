import { expect, test } from "vitest";
import { relativeLinks, runnableExamples } from "../src/readme.js";

test("only blocks that promise to run are examples, each with the output after it", () => {
  const markdown = [
    "```ts",
    "a sketch",
    "```",
    "```ts run",
    "console.log(1);",
    "```",
    "",
    "```text",
    "1",
    "```",
    "```sh run",
    "hail --version",
    "```",
    "Words in between.",
    "```text",
    "not its output",
    "```",
  ].join("\n");
  expect(runnableExamples(markdown)).toEqual([
    { language: "ts", code: "console.log(1);\n", output: "1\n" },
    { language: "sh", code: "hail --version\n", output: undefined },
  ]);
});

test("relative links are paths in prose, without fragments and addresses", () => {
  const markdown = [
    "[a](docs/a.md#part), [`b`](../b/README.md), [c](https://example.org/), [d](#here)",
    "`[e](e.md)`",
    "```ts",
    "[f](f.md)",
    "```",
  ].join("\n");
  expect(relativeLinks(markdown)).toEqual(["docs/a.md", "../b/README.md"]);
});
