// The simulator as the server serves it: its policy allows the page's own texts, and it takes the server's cluster.
import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withInstances } from "../instances.js";
import { aServer, type TestServer } from "../served.js";

const executablePath = "/usr/bin/chromium";

describe.skipIf(!existsSync(executablePath))("the simulator of a server in chromium", () => {
  let server: TestServer;
  let browser: Browser;
  beforeAll(async () => {
    server = await aServer();
    await withInstances(server, [{ instance_name: "web1.example.com" }] as never);
    browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.end();
  });

  test("a user who has logged in simulates the current cluster", async () => {
    const context = await browser.newContext({ ignoreHTTPSErrors: true });
    const page = await context.newPage();
    const problems: string[] = [];
    page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
    await page.goto(`${server.url}/ui/`);
    await page.getByLabel("User").fill("rita");
    await page.getByLabel("Password").fill("look");
    await page.getByRole("button", { name: "Log in" }).click();
    await page.getByRole("heading", { name: "demo.example.com" }).waitFor();
    problems.length = 0;
    const answer = await page.goto(`${server.url}/ui/simulator.html`);
    const policy = answer?.headers()["content-security-policy"] ?? "";
    expect(policy).toContain("sha256-");
    expect(policy).not.toContain("unsafe-inline");
    await page.getByRole("button", { name: "Take the current cluster" }).click();
    await page.getByText("4 nodes, 1 instances").waitFor();
    await page.getByLabel("Storage", { exact: true }).selectOption("plain");
    await page.getByLabel("Number").fill("2");
    await page.getByLabel("Memory (GiB)").fill("0.5");
    await page.getByLabel("Disk (GiB)").fill("1");
    await page.getByRole("button", { name: "Place them" }).click();
    await page.getByText("2 of 2 instances placed").waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });
});
