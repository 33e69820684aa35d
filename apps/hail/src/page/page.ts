/**
 * HTML page about a cluster: one file without external resources. Every chart has a table with the same
 * figures; colours follow the reader's light or dark preference.
 */
import { type Bars, barChart } from "./bar-chart.js";
import { type DataTable, dataTable } from "./data-table.js";
import { type Line, lineChart } from "./line-chart.js";
import { html, type Markup } from "./markup.js";
import { type NodeMap, nodeMap } from "./node-map.js";
import { script } from "./script.js";
import { style } from "./style.js";

export interface Page {
  readonly title: string;
  /** The most important facts, in a few words each. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly sections: readonly Section[];
}

export type Section = NodeMap | Line | Bars | DataTable;

export function pageText({ title, facts, sections }: Page): string {
  const policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<dl class="facts">
${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>\n`)}</dl>
${sections.map((section, index) => sectionOf(section, `section-${index}`))}</main>
<script>${script}</script>
</body>
</html>
`.text;
}

const sectionOf = (section: Section, id: string): Markup => html`<section aria-labelledby="${id}">
<h2 id="${id}">${section.title}</h2>
${contentOf(section, id)}
</section>
`;

function contentOf(section: Section, id: string): Markup {
  switch (section.kind) {
    case "nodes":
      return nodeMap(section, id);
    case "line":
      return lineChart(section, id);
    case "bars":
      return barChart(section);
    case "table":
      return dataTable(section);
  }
}
