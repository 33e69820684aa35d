// The page in Chromium on a server of its own: login, pages, changes, rights.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { endOf, withInstances } from "../instances.js";
import { aServer, type TestServer } from "../served.js";

const executablePath = "/usr/bin/chromium";

describe.skipIf(!existsSync(executablePath))("the page in chromium", () => {
  let server: TestServer;
  let browser: Browser;
  beforeAll(async () => {
    server = await aServer();
    const names = ["web1.example.com", "web2.example.com"];
    await withInstances(server, names.map((instance_name) => ({ instance_name })) as never);
    browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.end();
  });

  async function loggedIn(user: string, password: string, options = {}): Promise<Page> {
    const context = await browser.newContext({ ignoreHTTPSErrors: true, ...options });
    const page = await context.newPage();
    await page.goto(`${server.url}/ui/`);
    await page.getByLabel("User").fill(user);
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Log in" }).click();
    await page.getByRole("heading", { name: "demo.example.com" }).waitFor();
    return page;
  }

  /** Saves a screenshot for review if `GANETI_TS_SCREENSHOTS` names a folder. */
  async function shot(page: Page, name: string): Promise<void> {
    const folder = process.env.GANETI_TS_SCREENSHOTS;
    if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`) });
  }

  test.each(["light", "dark"] as const)(
    "a writer stops and starts an instance and sees it live, in %s",
    async (colorScheme) => {
      const page = await loggedIn("jack", "abc123", { colorScheme });
      const problems: string[] = [];
      page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
      expect(await page.getByRole("article").count()).toBe(4);
      await shot(page, `overview-${colorScheme}`);
      await page.keyboard.press("g");
      await page.keyboard.press("i");
      await page.getByRole("link", { name: "web1.example.com" }).waitFor();
      await page.keyboard.press("/");
      await page.keyboard.type("web1");
      await page.getByText("1 of 2").waitFor();
      expect(page.url()).toContain("q=web1");
      await page.getByLabel("Choose web1.example.com").check();
      await page.getByRole("button", { name: "Stop" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Stop" }).click();
      await page.getByText("ADMIN_down").waitFor();
      await shot(page, `instances-${colorScheme}`);
      await page.getByRole("link", { name: "web1.example.com" }).click();
      await page.getByRole("button", { name: "Start" }).click();
      await page.getByText("running", { exact: true }).waitFor();
      await shot(page, `instance-${colorScheme}`);
      await page.getByText("submitted").getByRole("link").first().click();
      await page.getByText("success").first().waitFor();
      await shot(page, `job-${colorScheme}`);
      expect(problems).toEqual([]);
      await page.context().close();
    },
  );

  test("a filter in Ganeti's syntax narrows the list, and a wrong one says what is wrong", async () => {
    const page = await loggedIn("rita", "look", { viewport: { width: 360, height: 740 } });
    await shot(page, "overview-360");
    await page.getByRole("link", { name: "Instances", exact: true }).click();
    await page.getByText("2 of 2").waitFor();
    const filter = page.getByLabel("Filter in Ganeti's query syntax");
    await filter.fill("half a filter");
    await page.getByLabel("Search instances by").fill("web");
    await page.waitForURL(/q=web/);
    expect(await filter.inputValue()).toBe("half a filter");
    await filter.fill('name == "web2.example.com"');
    await filter.press("Enter");
    await page.getByText("1 of 1").waitFor();
    await shot(page, "instances-360");
    await page.getByLabel("Filter in Ganeti's query syntax").fill("be/memory >");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").filter({ hasText: "Failed to parse" }).waitFor();
    await page.context().close();
  });

  test("a reader's buttons are disabled and show the reason", async () => {
    const page = await loggedIn("rita", "look");
    await page.goto(`${server.url}/ui/#/instances/web1.example.com`);
    const stop = page.getByRole("button", { name: "Stop" });
    await stop.waitFor();
    expect(await stop.isDisabled()).toBe(true);
    expect(await stop.getAttribute("title")).toContain("option write");
    await page.context().close();
  });

  test("the overview counts instances of the policy's standard size on its first template", async () => {
    const std = {
      ...{ "memory-size": 512, "cpu-count": 2, "disk-size": 2048 },
      ...{ "disk-count": 1, "nic-count": 1, "spindle-use": 1 },
    };
    const ipolicy = { std, "disk-templates": ["plain", "drbd"] };
    const change = { OP_ID: "OP_CLUSTER_SET_PARAMS", ipolicy };
    const id = await server.world.queue.submit([change]);
    expect(await endOf(server, id)).toMatchObject(["success", {}]);
    const page = await loggedIn("rita", "look");
    const card = page.getByRole("region", { name: "Capacity left" });
    await card.getByText("512 MiB memory, 2 CPUs, 2 GiB disk (plain)").waitFor();
    const size = { beparams: { memory: 512, vcpus: 2 }, disk_template: "plain" } as const;
    const disks = [{ size: 2048 }];
    const { count } = await server.world.planner.capacity({ ...size, disks, nics: [{}] });
    await card.getByText(String(count), { exact: true }).waitFor();
    await shot(page, "overview-standard");
    await page.context().close();
  });
});
