// The built page: its size, and the absence of everything that the server's policy forbids.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";

const dist = join(import.meta.dirname, "../dist");
const text = (path: string) => readFileSync(join(dist, path), "utf8");

test.skipIf(!existsSync(dist))("the first load of the built page is at most 120 KB (gzip)", () => {
  const html = text("index.html");
  const files = [...html.matchAll(/(?:src|href)="\/ui\/([^"]+)"/g)].map(
    ([, path]) => path as string,
  );
  expect(files.some((path) => path.endsWith(".js"))).toBe(true);
  const bytes = [html, ...files.map(text)].map((one) => gzipSync(one).length);
  expect(bytes.reduce((sum, one) => sum + one)).toBeLessThanOrEqual(120 * 1024);
  expect(html).not.toMatch(/<style|style=|<script(?![^>]*\bsrc=)|https?:/);
});

test.skipIf(!existsSync(dist))("zod is nowhere in the built page", () => {
  const scripts = readdirSync(join(dist, "assets")).filter((name) => name.endsWith(".js"));
  for (const name of scripts) expect(text(join("assets", name)), name).not.toContain("ZodError");
});

test.skipIf(!existsSync(dist))("the simulator is one file that requests nothing", () => {
  const html = text("simulator.html");
  expect(gzipSync(html).length).toBeLessThanOrEqual(120 * 1024);
  const [head = ""] = html.split("<script>");
  expect(head).not.toMatch(/<script|<link(?![^>]*href="data:)|url\(|@import/);
  expect(html.split("<script").length).toBe(2);
  expect(html).not.toContain("ZodError");
});
