/** Measurements of the page in Chromium with 20 000 instances: first load, time until usable, scrolling, and events. */
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { moreLimits, morePages } from "./more-pages.js";
import { instanceCount, standIn } from "./stand-in.js";

const server = await standIn();
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});

/** Script for the page: records tasks of the main thread that take 50 ms or more. */
const watchTasks = `
  window.longTasks = [];
  new PerformanceObserver((list) => window.longTasks.push(...list.getEntries().map((one) => one.duration)))
    .observe({ type: "longtask", buffered: true });
`;

async function opened(hash) {
  const page = await browser.newPage();
  await page.addInitScript(watchTasks);
  const client = await page.context().newCDPSession(page);
  await client.send("Performance.enable");
  let bytes = 0;
  await client.send("Network.enable");
  client.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    if (assets.has(requestId)) bytes += encodedDataLength;
  });
  const assets = new Set();
  client.on("Network.requestWillBeSent", ({ requestId, request }) => {
    if (request.url.includes("/ui/")) assets.add(requestId);
  });
  await page.goto(`${server.url}/ui/#/${hash}`);
  const metric = async (name) => {
    const { metrics } = await client.send("Performance.getMetrics");
    return metrics.find((one) => one.name === name).value;
  };
  return { page, metric, bytes: () => bytes };
}

const round = (value) => Math.round(value * 10) / 10;
const figures = {};

{
  const { page, metric, bytes } = await opened("overview");
  await page.getByRole("heading", { name: "large.example.com" }).waitFor();
  await page.getByRole("article").first().waitFor();
  figures.mainThreadMs = round((await metric("TaskDuration")) * 1000);
  figures.firstLoadKb = round(bytes() / 1024);
  await page.close();
}
{
  const { page } = await opened("instances");
  await page.getByText(`${instanceCount} of ${instanceCount}`).waitFor();
  figures.listUsableMs = round(
    await page.evaluate(`(() => {
      const [data] = performance.getEntriesByType("resource").filter(({ name }) => name.endsWith("/2/query/instance"));
      return performance.now() - data.responseEnd;
    })()`),
  );
  // Tasks of the first load belong to the previous figure.
  await page.evaluate("window.longTasks.length = 0");
  figures.framesScrolled = await page.evaluate(`new Promise((resolve) => {
    const box = document.querySelector(".rows");
    const start = performance.now();
    let frames = 0;
    const step = (now) => {
      box.scrollTop += 173 + 40 * (frames % 50);
      frames += 1;
      if (now - start < 5000) requestAnimationFrame(step);
      else resolve(frames);
    };
    requestAnimationFrame(step);
  })`);
  figures.longestScrollTaskMs = round(await page.evaluate("Math.max(0, ...window.longTasks)"));
  await page.evaluate("window.longTasks.length = 0");
  figures.searchMs = round(
    await page.evaluate(`new Promise((resolve) => {
      const field = document.querySelector("input[type=search]");
      const start = performance.now();
      field.value = "instance1234";
      field.dispatchEvent(new Event("input", { bubbles: true }));
      const look = () => document.querySelector("[role=status]").textContent.startsWith("11 of")
        || document.querySelector("main [role=status]").textContent.startsWith("11 of")
        ? resolve(performance.now() - start) : requestAnimationFrame(look);
      look();
    })`),
  );
  await page.close();
}
{
  // 1 000 events of jobs in a minute, each with a changed instance, for 15 seconds.
  const { page } = await opened("instances");
  await page.getByText(`${instanceCount} of ${instanceCount}`).waitFor();
  await page.waitForTimeout(500);
  await page.evaluate("window.longTasks.length = 0");
  const sent = 250;
  for (let at = 0; at < sent; at++) {
    const uuid = `00000000-0000-4000-8000-${String((at * 79) % instanceCount).padStart(12, "0")}`;
    server.send("config", { serial: at, changes: [{ type: "instance", change: "put", uuid }] });
    const summary = [`INSTANCE_STARTUP(instance${(at * 79) % instanceCount}.example.com)`];
    server.send("job", { id: 1000 + at, status: "success", summary, opstatus: ["success"] });
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  figures.longestEventTaskMs = round(await page.evaluate("Math.max(0, ...window.longTasks)"));
  await page.goto(`${server.url}/ui/#/jobs`);
  await page.getByText("200 of 200").waitFor();
  await page.evaluate("window.longTasks.length = 0");
  for (let at = 0; at < sent; at++) {
    const summary = [`INSTANCE_STARTUP(instance${at}.example.com)`];
    server.send("job", { id: 1000 + at, status: "success", summary, opstatus: ["success"] });
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  const start = performance.now();
  await page.getByText(`${200 + sent} of ${200 + sent}`).waitFor();
  figures.jobsBehindMs = round(performance.now() - start);
  figures.longestJobTaskMs = round(await page.evaluate("Math.max(0, ...window.longTasks)"));
  await page.close();
}

Object.assign(figures, await morePages(opened, server));

await browser.close();
await server.close();

const limits = {
  ...moreLimits,
  ...{ firstLoadKb: 120, mainThreadMs: 1000, listUsableMs: 1000 },
  ...{ longestScrollTaskMs: 50, longestEventTaskMs: 50, longestJobTaskMs: 50, jobsBehindMs: 1000 },
};
for (const [name, value] of Object.entries(figures)) {
  const limit = limits[name];
  const verdict =
    limit === undefined
      ? ""
      : value <= limit
        ? `  (at most ${limit})`
        : `  TOO MUCH: at most ${limit}`;
  console.log(`${name.padEnd(22)}${value}${verdict}`);
}
if (process.argv.includes("--record")) {
  const about = { node: process.version, cpu: cpus()[0]?.model, cores: cpus().length };
  const path = join(import.meta.dirname, "baseline.json");
  writeFileSync(path, `${JSON.stringify({ ...about, ...figures }, null, 2)}\n`);
}
if (Object.entries(limits).some(([name, limit]) => figures[name] > limit)) process.exitCode = 1;
