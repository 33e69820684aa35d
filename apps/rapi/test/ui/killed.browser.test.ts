// A server process that is killed by SIGKILL while the page is open, and started again.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ServerProcess } from "../life/server-process.js";
import { describeSite, freePort } from "./chromium.js";

const start = async () => {
  const folder = mkdtempSync(join(tmpdir(), "killed-"));
  mkdirSync(join(folder, "rapi"));
  writeFileSync(join(folder, "rapi", "users"), "jack abc123 write\n");
  const port = await freePort();
  const server = new ServerProcess(folder, ["-p", String(port), "--init=killed.example.com"]);
  await server.start();
  const end = async () => {
    await server.end("SIGTERM");
    rmSync(folder, { recursive: true, force: true });
  };
  // Browsers keep the session's cookie for this name without TLS, too.
  return { process: server, url: `http://localhost:${port}`, end };
};

describeSite("a server that is killed", start, (site) => {
  test("the page notices SIGKILL, keeps its session, and shows the end of an interrupted job", async () => {
    const delay = { OP_ID: "OP_TEST_DELAY", duration: 600, on_master: true };
    const { process: server } = site.server;
    const { body } = await server.ask("POST", "/ganeti-ts/1/jobs", { jobs: [[delay]] });
    const [{ id }] = body as [{ id: number }];
    const { page } = await site.open(`jobs/${id}`);
    await page.getByText("running", { exact: true }).first().waitFor();
    await server.end("SIGKILL");
    await page.getByText("The connection to the server is lost").waitFor();
    await server.start();
    await page.getByText("The connection to the server is lost").waitFor({ state: "detached" });
    await page.getByText("error", { exact: true }).first().waitFor();
    await site.goTo(page, "rules");
    await page.getByText("every job may start").waitFor();
    await server.ask("POST", "/2/filters", { priority: 1, action: "PAUSE" });
    await page.getByText("Holds jobs in the queue, whatever they do.").waitFor();
    expect(await page.getByLabel("Password").count()).toBe(0);
  });

  test("the page notices a suspended server, and reads everything again when it continues", async () => {
    const { process: server } = site.server;
    const page = await site.newPage();
    await page.clock.install();
    await site.logIn(page);
    server.pause();
    await site.goTo(page, "jobs");
    await page.getByText("Loading …").waitFor();
    await page.clock.fastForward("00:41");
    await page.getByText("The connection to the server is lost").waitFor();
    await page.getByText("The server has not answered for 30 seconds.").first().waitFor();
    void server.goOn();
    await page.getByText("The connection to the server is lost").waitFor({ state: "detached" });
    await page.getByText("TEST_DELAY").first().waitFor();
  });
});
