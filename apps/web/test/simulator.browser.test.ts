// The built simulator in Chromium, opened as a file: without a server, and without any request.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { loadCluster, readClusterText, simulateCluster, writeClusterText } from "@ganeti-ts/htools";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const executablePath = "/usr/bin/chromium";
const file = join(import.meta.dirname, "../dist/simulator.html");
const isMissing = !existsSync(executablePath) || !existsSync(file);

describe.skipIf(isMissing)("the simulator as a file in chromium", () => {
  let browser: Browser;
  let folder: string;
  const problems: string[] = [];
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "simulator-"));
    browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true });
  });

  async function opened(options = {}): Promise<Page> {
    const context = await browser.newContext({ acceptDownloads: true, ...options });
    const page = await context.newPage();
    page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
    page.on("pageerror", ({ message }) => problems.push(message));
    page.on("request", (request) => {
      if (!/^(file|blob|data):/.test(request.url())) problems.push(request.url());
    });
    await page.goto(pathToFileURL(file).href);
    return page;
  }

  /** Saves a screenshot for review if `GANETI_TS_SCREENSHOTS` names a folder. */
  async function shot(page: Page, name: string): Promise<void> {
    const shots = process.env.GANETI_TS_SCREENSHOTS;
    if (shots !== undefined) await page.screenshot({ path: join(shots, `${name}.png`) });
  }

  test.each(["light", "dark"] as const)(
    "a planned cluster is filled, loses a node and is repaired, in %s",
    async (colorScheme) => {
      const page = await opened({ colorScheme, viewport: { width: 1440, height: 900 } });
      await shot(page, `simulator-start-${colorScheme}`);
      await page.getByRole("button", { name: "Begin with empty nodes" }).click();
      await page.getByLabel("Number").fill("30");
      await page.getByRole("button", { name: "Place them" }).click();
      await page.getByText("30 of 30 instances placed").waitFor();
      await page
        .getByRole("button", { name: /^node-01-001/ })
        .last()
        .click();
      await page.getByRole("button", { name: "Let it fail" }).click();
      await page.getByText("node-01-001 is down").waitFor();
      await page.getByLabel("Instances to move").selectOption("offline");
      await page.getByRole("button", { name: "Balance", exact: true }).click();
      await page.getByText(/^\d+ moves, score/).waitFor();
      await shot(page, `simulator-${colorScheme}`);
      const line = await page.getByRole("img", { name: /^Score from/ }).boundingBox();
      expect(Math.min(line?.width ?? 0, line?.height ?? 0)).toBeGreaterThan(15);
      await page
        .getByRole("button", { name: /^node-01-001/ })
        .last()
        .click();
      await page.getByRole("dialog").getByText("No instances.").waitFor();
      await page.context().close();
      expect(problems).toEqual([]);
    },
  );

  test("a text file is opened, and saved with the changes", async () => {
    const page = await opened({ viewport: { width: 360, height: 740 } });
    const path = join(folder, "cluster.data");
    const text = writeClusterText(
      loadCluster(simulateCluster(["p,3,500g,32g,8", "a,2,500g,32g,8"])),
    );
    writeFileSync(path, text);
    await page.getByLabel("Text file of a cluster").setInputFiles(path);
    await page.getByText("5 nodes, 0 instances").waitFor();
    await shot(page, "simulator-360");
    await page.getByRole("button", { name: "Place them" }).click();
    await page.getByText("10 of 10 instances placed").waitFor();
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save as text" }).click();
    const saved = readFileSync(await (await download).path(), "utf8");
    expect(readClusterText(saved).instances.length).toBe(10);
    const width = await page.evaluate("document.documentElement.scrollWidth");
    expect(width).toBeLessThanOrEqual(360);
    await page.context().close();
    expect(problems).toEqual([]);
  });

  test("a wrong file is refused with the reason, and a link carries a cluster", async () => {
    const page = await opened();
    const path = join(folder, "wrong.data");
    writeFileSync(path, "hello\n");
    await page.getByLabel("Text file of a cluster").setInputFiles(path);
    await page.getByRole("alert").waitFor();
    await page.getByRole("button", { name: "Begin with empty nodes" }).click();
    await page.getByRole("button", { name: "Share as link" }).click();
    await page.getByText("now contains the cluster").waitFor();
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByText("8 nodes, 0 instances").waitFor();
    await page.context().close();
    expect(problems).toEqual([]);
  });

  test("balancing a large cluster shows progress, and a stop keeps the moves so far", async () => {
    const page = await opened();
    const path = join(folder, "large.data");
    writeFileSync(path, largeCluster(400, 4_000));
    await page.getByLabel("Text file of a cluster").setInputFiles(path);
    await page.getByText("400 nodes, 4000 instances").waitFor();
    await page.getByRole("button", { name: "Balance", exact: true }).click();
    await page.getByText(/^[1-9]\d* moves, score/).waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("Stopped: complete up to the last step.").waitFor();
    await page.context().close();
    expect(problems).toEqual([]);
  });
});

/** Nodes of one size; all instances have their primary in the first half, so that balancing has much to do. */
function largeCluster(nodes: number, instances: number): string {
  const data = simulateCluster([`p,${nodes},10t,512g,128`]);
  const half = nodes / 2;
  const all = Array.from({ length: instances }, (_, at) => ({
    ...{ name: `web${at}`, memoryMib: 2048, diskMib: 10_368, vcpus: 1, spindleUse: 0 },
    ...{ disks: [{ sizeMib: 10_240, spindles: undefined }], diskTemplate: "drbd" as const },
    ...{
      status: "running" as const,
      autoBalance: true,
      forthcoming: false,
      tags: [],
      networks: [],
    },
    ...{ primary: at % half, secondary: half + (at % half) },
  }));
  const used = new Map<number, number>();
  for (const { primary } of all) used.set(primary, (used.get(primary) ?? 0) + 2048);
  const withUse = data.nodes.map((node, at) => ({
    ...node,
    memoryFreeMib: node.memoryFreeMib - (used.get(at) ?? 0),
  }));
  return writeClusterText(loadCluster({ ...data, nodes: withUse, instances: all }));
}
