// The audit in Chromium: search, the tree of causes, files, and newer jobs.
import { readFileSync } from "node:fs";
import type { JobId } from "@ganeti-ts/protocol";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { endOf, withInstances } from "../instances.js";
import { aServer } from "../served.js";
import { act, describeSite, rita, shot } from "./chromium.js";
import { dummy } from "./with-objects.js";

let parent: JobId;

const start = async () => {
  const server = await aServer();
  await withInstances(server, [{ instance_name: "web1.example.com" }]);
  const child = { ...dummy("=evil()"), submit_jobs: [[dummy("grandchild")]] };
  parent = await server.world.queue.submit([{ ...dummy("family"), submit_jobs: [[child]] }]);
  await endOf(server, parent);
  await endOf(server, (parent + 1) as JobId);
  await endOf(server, (parent + 2) as JobId);
  return server;
};

describeSite("the audit", start, (site) => {
  const job = (page: Page, id: number) =>
    page.getByRole("article", { name: `Job ${id}`, exact: true });
  const saved = async (page: Page, format: "CSV" | "JSON") => {
    const waiting = page.waitForEvent("download");
    await page.getByRole("button", { name: `Save as ${format}` }).click();
    return readFileSync(await (await waiting).path(), "utf8");
  };

  test("actions made on the page are found by user and object, from the instance's own page", async () => {
    const { page, problems } = await site.open("instances/web1.example.com");
    await act(page, "Reboot");
    await page.getByText("1 job submitted").waitFor();
    await page.getByRole("link", { name: "Everything that touched it" }).click();
    await page.getByText("INSTANCE_REBOOT(").waitFor();
    await page.getByText("2 jobs").waitFor();
    await page.getByText("More conditions").click();
    await page.getByLabel("User").fill("jack");
    await page.getByText("1 job", { exact: true }).waitFor();
    await page.getByText("by jack").waitFor();
    expect(page.url()).toContain("user=jack");
    await page.getByLabel("User").fill("somebody else");
    await page.getByText("Nothing is found.").waitFor();
    expect(problems).toEqual([]);
  });

  test("jobs stand below the job that led to them, with their trails, and a chain can be shown alone", async () => {
    const { page } = await site.open("overview", rita);
    await page.keyboard.press("g");
    await page.keyboard.press("a");
    await job(page, parent).waitFor();
    const below = page.locator(".tree .tree").getByRole("article");
    expect(await below.count()).toBe(2);
    expect(await page.locator(".tree .tree .tree").getByRole("article").count()).toBe(1);
    await job(page, parent + 2)
      .getByText("Trail")
      .click();
    await shot(page, "audit-tree");
    await job(page, parent + 2)
      .getByText(`job=${parent};index=0`)
      .waitFor();
    await page.getByRole("link", { name: `All that job ${parent} led to` }).click();
    await page.getByText("3 jobs", { exact: true }).waitFor();
    expect(page.url()).toContain(`cause=${parent}`);
  });

  test("a file has all jobs of the search; foreign texts in it are not formulas", async () => {
    const { page } = await site.open(`audit?cause=${parent}`);
    await page.getByText("3 jobs", { exact: true }).waitFor();
    const csv = await saved(page, "CSV");
    expect(csv.split("\r\n")).toHaveLength(5);
    expect(csv).toContain(",'=evil()");
    expect(csv).not.toContain(",=evil()");
    const json = JSON.parse(await saved(page, "JSON")) as { id: number }[];
    expect(json.map(({ id }) => id)).toEqual([parent + 2, parent + 1, parent]);
  });

  test("newer jobs are counted, and shown on request; older ones follow in parts, and a file has all", async () => {
    const { queue } = site.server.world;
    const { page } = await site.open("audit");
    await page.getByText(/^\d+ jobs and \d+ other actions?$/).waitFor();
    await queue.submitMany(Array.from({ length: 205 }, () => [dummy("many")]));
    await page.getByRole("button", { name: "Show 205 newer jobs" }).click();
    await page.getByText("200 jobs, and older ones").waitFor();
    const entries = JSON.parse(await saved(page, "JSON")) as { kind: string; id: number }[];
    const ids = entries.filter(({ kind }) => kind === "job").map(({ id }) => id);
    expect(ids).toEqual(Array.from({ length: queue.lastId }, (_, at) => queue.lastId - at));
    await page.getByRole("button", { name: "Older ones" }).click();
    await page.getByText(/^2\d\d jobs and \d+ other actions?$/).waitFor();
  });

  test("logins and cancellations stand among the jobs, with user, address and outcome, also in the file", async () => {
    const { queue } = site.server.world;
    await queue.change({ runningMax: 0 });
    const id = await queue.submit([dummy("to be cancelled")]);
    const { page } = await site.open(`jobs/${id}`);
    await page.getByRole("button", { name: "Cancel the job" }).click();
    await expect.poll(async () => (await queue.query([id], ["status"]))[0]).toEqual(["canceled"]);
    await site.goTo(page, "audit?user=jack");
    const card = page.getByRole("article", { name: `cancel job ${id}`, exact: true });
    await card.getByText("by jack from 127.0.0.1").waitFor();
    await card.getByText(`Dequeued job ${id}`).waitFor();
    await page.getByRole("article", { name: "login", exact: true }).first().waitFor();
    await shot(page, "audit-actions");
    expect(await saved(page, "CSV")).toContain(
      `,jack,cancel job ${id},done,Dequeued job ${id},,,127.0.0.1`,
    );
    await queue.change({ runningMax: 20 });
  });

  test("a faulty search is explained and not sent", async () => {
    const { page } = await site.open("audit?cause=x");
    await page.getByRole("alert").filter({ hasText: "x is not the number of a job" }).waitFor();
  });
});
