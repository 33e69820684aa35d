import { expect, test } from "vitest";
import { manualOfUsage } from "./usage-manual.js";

const page = {
  name: "serve",
  section: 8,
  summary: "serves",
  version: "1.2",
  seeAlso: ["gnt-node(8)", "hbal(1)"],
} as const;

test("the help's synopsis, paragraphs, options and examples become sections of the page", () => {
  const usage = `Usage: serve [OPTION]...
Serves a folder.

  -p PORT    port to listen on
             (5080)
  --quiet

Examples:
  serve -p 80
    on the usual port
  serve`;
  expect(manualOfUsage({ ...page, usage }).split("\n")).toEqual([
    '.TH SERVE 8 "" "ganeti-ts 1.2" "Ganeti"',
    ...[".SH NAME", "serve \\- serves", ".SH SYNOPSIS", "serve [OPTION]..."],
    ...[".SH DESCRIPTION", "Serves a folder.", ".SH OPTIONS"],
    ...[".TP", "\\fB\\-p PORT\\fR", "port to listen on (5080)"],
    ...[".TP", "\\fB\\-\\-quiet\\fR", "", ".SH EXAMPLES"],
    ...[".RS", ".nf", "\\fBserve \\-p 80\\fR", ".fi", "on the usual port", ".RE"],
    ...[".RS", ".nf", "\\fBserve\\fR", ".fi", "", ".RE"],
    ...[".SH SEE ALSO", "\\fBgnt\\-node\\fR(8), \\fBhbal\\fR(1)", ""],
  ]);
});

test("files have a section of their own", () => {
  const text = manualOfUsage({
    ...page,
    usage: "Usage: serve",
    files: [["/etc/serve", "its settings"]],
  });
  expect(text).toContain(".SH FILES\n.TP\n\\fI/etc/serve\\fR\nits settings\n");
});
