/** Measurements of the pages of networks, filter rules and the audit. */
import { instanceCount } from "./stand-in.js";

const round = (value) => Math.round(value * 10) / 10;
const longest = (page) => page.evaluate("Math.max(0, ...window.longTasks)");
const forget = (page) => page.evaluate("window.longTasks.length = 0");

/** Sends 1 000 events of jobs in a minute for 15 seconds, each with a changed instance. */
async function sendEvents(server, from) {
  for (let at = 0; at < 250; at++) {
    const number = (at * 79) % instanceCount;
    const uuid = `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
    server.send("config", { serial: at, changes: [{ type: "instance", change: "put", uuid }] });
    const summary = [`INSTANCE_STARTUP(instance${number}.example.com)`];
    server.send("job", { id: from + at, status: "queued", summary, opstatus: ["queued"] });
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
}

/** @param opened opens a page of the stand-in server */
export async function morePages(opened, server) {
  const figures = {};
  const pages = [
    ["networks/large?ip=10.0.78.1", "network", "used by instance"],
    ["rules", "rules", "Filter rules"],
    ["audit", "audit", "200 jobs, and older ones"],
  ];
  for (const [hash, name, text] of pages) {
    const { page, metric, bytes } = await opened(hash);
    await page.getByText(text).first().waitFor();
    figures[`${name}Kb`] = round(bytes() / 1024);
    figures[`${name}MainThreadMs`] = round((await metric("TaskDuration")) * 1000);
    await page.waitForTimeout(500);
    await forget(page);
    if (name === "network") figures.mapLongestScrollTaskMs = await scrolled(page);
    await forget(page);
    const before = await metric("TaskDuration");
    await sendEvents(server, 5000);
    figures[`${name}LongestEventTaskMs`] = round(await longest(page));
    figures[`${name}EventsMainThreadMs`] = round(((await metric("TaskDuration")) - before) * 1000);
    await page.close();
  }
  return figures;
}

async function scrolled(page) {
  await page.evaluate(`new Promise((resolve) => {
    const box = document.querySelector(".grid");
    const start = performance.now();
    let frames = 0;
    const step = (now) => {
      box.scrollTop += 97 + 22 * (frames++ % 30);
      if (now - start < 4000) requestAnimationFrame(step);
      else resolve(frames);
    };
    requestAnimationFrame(step);
  })`);
  return round(await longest(page));
}

export const moreLimits = {
  ...{ networkKb: 120, rulesKb: 120, auditKb: 120 },
  ...{ networkMainThreadMs: 1000, rulesMainThreadMs: 1000, auditMainThreadMs: 1000 },
  mapLongestScrollTaskMs: 50,
  ...{ networkLongestEventTaskMs: 50, rulesLongestEventTaskMs: 50, auditLongestEventTaskMs: 50 },
};
