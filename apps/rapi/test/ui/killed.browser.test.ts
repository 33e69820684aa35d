// A server process that is killed by SIGKILL while the page is open, and started again.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ServerProcess } from "../life/server-process.js";
import { hasChromium, jack, loggedIn, openChromium } from "./chromium.js";

const freePort = () =>
  new Promise<number>((resolve) => {
    const probe = createServer();
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });

describe.skipIf(!hasChromium)("a server that is killed, in chromium", () => {
  let server: ServerProcess;
  let browser: Browser;
  let url: string;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "killed-"));
    mkdirSync(join(folder, "rapi"));
    writeFileSync(join(folder, "rapi", "users"), "jack abc123 write\n");
    const port = await freePort();
    // Browsers keep the session's cookie for this name without TLS, too.
    url = `http://localhost:${port}`;
    server = new ServerProcess(folder, ["-p", String(port), "--init=killed.example.com"]);
    await server.start();
    browser = await openChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.end("SIGTERM");
    rmSync(folder, { recursive: true, force: true });
  });

  test("the page notices SIGKILL, keeps its session, and shows the end of an interrupted job", async () => {
    const delay = { OP_ID: "OP_TEST_DELAY", duration: 600, on_master: true };
    const { body } = await server.ask("POST", "/ganeti-ts/1/jobs", { jobs: [[delay]] });
    const [{ id }] = body as [{ id: number }];
    const { page } = await loggedIn(browser, { url }, jack);
    await page.goto(`${url}/ui/#/jobs/${id}`);
    await page.getByText("running", { exact: true }).first().waitFor();
    await server.end("SIGKILL");
    await page.getByText("The connection to the server is lost").waitFor();
    await server.start();
    await page.getByText("The connection to the server is lost").waitFor({ state: "detached" });
    await page.getByText("error", { exact: true }).first().waitFor();
    await page.goto(`${url}/ui/#/rules`);
    await page.getByText("every job may start").waitFor();
    await server.ask("POST", "/2/filters", { priority: 1, action: "PAUSE" });
    await page.getByText("Holds jobs in the queue, whatever they do.").waitFor();
    expect(await page.getByLabel("Password").count()).toBe(0);
    await page.context().close();
  });

  test("the page notices a suspended server, and reads everything again when it continues", async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.clock.install();
    await page.goto(`${url}/ui/`);
    await page.getByLabel("User").fill("jack");
    await page.getByLabel("Password").fill("abc123");
    await page.getByRole("button", { name: "Log in" }).click();
    await page.getByRole("heading", { name: "killed.example.com" }).waitFor();
    server.pause();
    await page.goto(`${url}/ui/#/jobs`);
    await page.getByText("Loading …").waitFor();
    await page.clock.fastForward("00:41");
    await page.getByText("The connection to the server is lost").waitFor();
    await page.getByText("The server has not answered for 30 seconds.").first().waitFor();
    void server.goOn();
    await page.getByText("The connection to the server is lost").waitFor({ state: "detached" });
    await page.getByText("TEST_DELAY").first().waitFor();
    await context.close();
  });
});
