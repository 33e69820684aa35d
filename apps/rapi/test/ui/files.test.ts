// The page's files: paths, access and headers.
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { sessionKey } from "../../src/program/session-key.js";
import { scriptOf, uiFilesIn } from "../../src/ui/files.js";
import { aWorld } from "../world.js";

const folder = mkdtempSync(join(tmpdir(), "ui-"));
afterAll(() => rmSync(folder, { recursive: true }));
const built = join(folder, "dist");
mkdirSync(join(built, "assets"), { recursive: true });
writeFileSync(join(built, "index.html"), "<!DOCTYPE html><title>page</title>");
writeFileSync(join(built, "one.html"), "<!DOCTYPE html><script>alert(1)</script>");
writeFileSync(join(built, "assets", "a-1.js"), "1;");
writeFileSync(join(folder, "secret.js"), "2;");
const site = await aWorld({ ui: uiFilesIn(built) });
const bare = await aWorld();
const browser = { user: null, headers: { accept: "text/html,*/*" } };

test("the page is served with a policy that allows nothing inline and nothing from elsewhere", async () => {
  for (const path of ["/ui", "/ui/", "/ui/index.html"]) {
    const { status, text, headers } = await site.ask("GET", path, browser);
    expect([status, text]).toEqual([200, "<!DOCTYPE html><title>page</title>"]);
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(headers.get("cache-control")).toBe("no-cache");
  }
});

test("a page of one file is served with a policy that allows exactly its own texts", async () => {
  const text = "alert(1)";
  const hash = createHash("sha256").update(text).digest("base64");
  const { headers } = await site.ask("GET", "/ui/one.html", browser);
  const policy = headers.get("content-security-policy") ?? "";
  expect(policy).toContain(`script-src 'sha256-${hash}' 'wasm-unsafe-eval'`);
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toMatch(/unsafe-inline|\*|https?:/);
});

test("files with their hash in the name are kept by browsers", async () => {
  const { headers } = await site.ask("GET", "/ui/assets/a-1.js", { user: null });
  expect(headers.get("content-type")).toBe("text/javascript; charset=utf-8");
  expect(headers.get("cache-control")).toContain("immutable");
});

test.each(["/ui/other.js", "/ui/../secret.js", "/ui/..%2fsecret.js", "/ui/assets/", "/uix"])(
  "nothing but the files of the page is served: %s",
  async (path) => {
    expect((await site.ask("GET", path, { user: null })).status).toBe(404);
  },
);

test("browsers are sent to the page, and programs still get null", async () => {
  const sent = await site.ask("GET", "/", browser);
  expect([sent.status, sent.headers.get("location")]).toEqual([302, "/ui/"]);
  expect((await site.ask("GET", "/", { user: null })).body).toBe(null);
});

test("without the page, /ui/ names the package to install, and / is unchanged", async () => {
  const { status, text } = await bare.ask("GET", "/ui/", browser);
  expect(status).toBe(404);
  expect(text).toContain("@ganeti-ts/web");
  expect((await bare.ask("GET", "/", browser)).status).toBe(200);
  expect(uiFilesIn(folder)).toBe(undefined);
});

test("the session key is created once, readable by its owner only", () => {
  const path = join(folder, "ui.key");
  const key = sessionKey(path);
  expect(sessionKey(path)).toEqual(key);
  expect(key.length).toBe(32);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  writeFileSync(path, readFileSync(path, "utf8").slice(2));
  expect(() => sessionKey(path)).toThrow("is not a key");
});

test("the script of a page is the one that its HTML names; without one there is none", () => {
  const folder = mkdtempSync(join(tmpdir(), "ui-script-"));
  const scriptIn = (html: string) => {
    writeFileSync(join(folder, "index.html"), html);
    return scriptOf(uiFilesIn(folder) ?? new Map());
  };
  const tag = '<script type="module" crossorigin src="/ui/assets/index-B1.js"></script>';
  expect(scriptIn(`<!DOCTYPE html>${tag}`)).toBe("/ui/assets/index-B1.js");
  expect(scriptIn("<!DOCTYPE html><title>page</title>")).toBe(null);
  rmSync(folder, { recursive: true });
});
