// Every change that the page offers, made in Chromium and checked in the cluster.
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { endOf, withInstances } from "../instances.js";
import { aSpecialServer } from "../served.js";
import { act, describeSite, jack, rita, shot } from "./chromium.js";

const users = "jack abc123 write\nowner abc123 write,full\nrita look read\n";
const owner = ["owner", "abc123"] as const;
const names = ["a1", "a2", "b1", "b2"].map((short) => `${short}.example.com`);

const start = async () => {
  const server = await aSpecialServer({ users }, "--nodes=6", "--groups=1");
  await withInstances(server, names.map((instance_name) => ({ instance_name })) as never);
  await withInstances(server, [{ instance_name: "later.example.com", forthcoming: true }]);
  return server;
};

describeSite("changes by the page", start, (site) => {
  const instance = (name: string) => site.server.cluster.snapshot().find("instance", name);
  const primary = (name: string) => (instance(name) as { primary_node?: string }).primary_node;

  /** Resolves when the job that the page has submitted has succeeded. */
  async function succeeded(page: Page): Promise<void> {
    const link = page.getByText("submitted").getByRole("link").first();
    const id = Number(await link.textContent());
    expect((await endOf(site.server, id as never))[0]).toBe("success");
  }

  test("several instances are stopped at once, and only those that the search shows", async () => {
    const { page, problems } = await site.open("instances");
    await page.getByLabel("Choose all that are shown").check();
    await page.getByText("5 chosen").waitFor();
    await page.getByLabel(/^Search instances/).fill("a");
    await page.getByLabel(/^Search instances/).fill("a1.");
    await page.getByText("1 of 5").waitFor();
    await act(page, "Stop");
    await page.getByText("1 job submitted").waitFor();
    await page.getByText("ADMIN_down").waitFor();
    expect(names.map((name) => instance(name)?.admin_state)).toEqual([
      ...["down", "up", "up", "up"],
    ]);
    expect(problems).toEqual([]);
  });

  test("a declined confirmation changes nothing", async () => {
    const { page } = await site.open("instances/a2.example.com");
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Leave it" }).click();
    await page.getByRole("button", { name: "Remove", exact: true }).click();
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await page.getByText("job submitted").count()).toBe(0);
    expect(instance("a2.example.com")?.admin_state).toBe("up");
  });

  test("a confirmed change is made even if the user leaves the page at the same moment", async () => {
    const { page } = await site.open("instances/a2.example.com");
    await page.getByRole("button", { name: "Reboot", exact: true }).click();
    const requested = page.waitForRequest(/a2\.example\.com\/reboot/);
    await page.evaluate(`
      document.querySelector("dialog button.strong").click();
      history.pushState(null, "", "#/overview");
      dispatchEvent(new HashChangeEvent("hashchange"));
    `);
    await requested;
  });

  test("a job that fails after its submission is named with its reason, which stays when other actions succeed", async () => {
    await withInstances(site.server, [{ instance_name: "c1.example.com", disk_template: "plain" }]);
    const { page } = await site.open("instances/c1.example.com");
    await act(page, "Migrate");
    await page.getByRole("alert").filter({ hasText: "1 failed" }).waitFor();
    const failure = page.getByRole("alert").filter({ hasText: "INSTANCE_MIGRATE(c1.example.com)" });
    await failure.filter({ hasText: "disk layout" }).waitFor();
    expect(await page.locator(".notice.done").count()).toBe(0);
    await shot(page, "failed-job");
    const succeeded = page.getByRole("status").filter({ hasText: "succeeded" });
    for (let time = 0; time < 2; time++) {
      await act(page, "Reboot");
      await succeeded.waitFor();
      expect(await failure.count()).toBe(1);
    }
    const removal = { OP_ID: "OP_INSTANCE_REMOVE", instance_name: "c1.example.com" };
    await endOf(site.server, await site.server.world.queue.submit([removal]));
  });

  test("the outcome of an earlier successful action is hidden during the next request", async () => {
    const { page } = await site.open("instances/a2.example.com");
    await act(page, "Reboot");
    await page.getByText("succeeded").waitFor();
    let release = () => {};
    const isReleased = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(/a2\.example\.com\/reboot/, async (route) => {
      await isReleased;
      await route.continue();
    });
    await act(page, "Reboot");
    await page.getByText("Requests are on their way").waitFor();
    expect(await page.getByText("job submitted").count()).toBe(0);
    release();
    await succeeded(page);
  });

  test("an instance is rebooted, migrated and failed over", async () => {
    const { page } = await site.open();
    for (const button of ["Reboot", "Migrate", "Fail over"]) {
      await site.goTo(page, "overview");
      await site.goTo(page, "instances/a2.example.com");
      const before = primary("a2.example.com");
      await act(page, button);
      await succeeded(page);
      const hasMoved = primary("a2.example.com") !== before;
      expect(hasMoved, button).toBe(button !== "Reboot");
    }
  });

  test("a tag is added and removed, and shows without a reload", async () => {
    const { page } = await site.open("instances/b1.example.com");
    await page.getByRole("button", { name: "Add tag" }).click();
    await page.getByRole("dialog").getByLabel("Tag").fill("web:prod");
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "web:prod" }).waitFor();
    expect(instance("b1.example.com")?.tags).toEqual(["web:prod"]);
    await page.getByRole("button", { name: "Remove tag web:prod" }).click();
    await page.getByRole("link", { name: "web:prod" }).waitFor({ state: "detached" });
    expect(instance("b1.example.com")?.tags).toEqual([]);
  });

  test("a removed instance leaves the list, and its page says that it is gone", async () => {
    const { page } = await site.open("instances?q=b2");
    await page.getByLabel("Choose b2.example.com").check();
    await act(page, "Remove", "b2.example.com");
    await page.getByText("0 of 4").waitFor();
    expect(instance("b2.example.com")).toBe(undefined);
    await site.goTo(page, "instances/b2.example.com");
    await page.getByRole("alert").filter({ hasText: "b2.example.com" }).waitFor();
  });

  test("instances are removed only after their number has been typed, and are named before", async () => {
    const doomed = ["d1.example.com", "d2.example.com"];
    await withInstances(
      site.server,
      doomed.map((instance_name) => ({ instance_name, disk_template: "plain" })),
    );
    const { page } = await site.open("instances?q=.example");
    for (const name of doomed) await page.getByLabel(`Choose ${name}`).check();
    await page.getByRole("button", { name: "Remove", exact: true }).click();
    const dialog = page.getByRole("dialog");
    expect(await dialog.getByRole("listitem").allTextContents()).toEqual(doomed);
    const remove = dialog.getByRole("button", { name: "Remove" });
    const typed = dialog.getByLabel("Type 2 to go on");
    await shot(page, "remove");
    for (const wrong of ["", "3", "22"]) {
      await typed.fill(wrong);
      await remove.click();
      expect(await dialog.count()).toBe(1);
    }
    expect(doomed.map((name) => instance(name)?.name)).toEqual(doomed);
    await typed.fill("2");
    await remove.click();
    await page.getByText("2 jobs submitted").filter({ hasText: "succeeded" }).waitFor();
    expect(doomed.map(instance)).toEqual([undefined, undefined]);
  });

  test("a reservation becomes an instance", async () => {
    const { page } = await site.open("instances/later.example.com");
    await page.getByRole("button", { name: "Make it real" }).click();
    await page.getByRole("link", { name: "Console" }).waitFor();
    await expect.poll(() => instance("later.example.com")?.forthcoming ?? false).toBe(false);
  });

  test("the page of a held job shows the reason, changes its priority, and cancels it", async () => {
    const isDummy = ["opcode", ["==", "OP_ID", "OP_TEST_DUMMY"]];
    const rule = { priority: 1, predicates: [isDummy], action: "PAUSE" };
    await site.server.world.queue.addRule(rule as never);
    const dummy = { OP_ID: "OP_TEST_DUMMY", result: 1, messages: [], fail: false, submit_jobs: [] };
    const id = await site.server.world.queue.submit([dummy]);
    const { page } = await site.open("jobs?show=open", owner);
    await page.getByRole("link", { name: String(id), exact: true }).click();
    await page.getByRole("region", { name: "Why it is not running" }).waitFor();
    await page.getByLabel("Priority").selectOption("-10");
    const priorityOf = async () =>
      (await site.server.world.queue.query([id], ["priority"]))[0]?.[0];
    await expect.poll(priorityOf).toBe(-10);
    await page.getByRole("button", { name: "Cancel the job" }).click();
    await page.getByText("canceled", { exact: true }).first().waitFor();
  });

  test("the log of a running job grows on the open page", async () => {
    const { page } = await site.open();
    // It is killed below: a job that ends by itself may have ended before a busy browser shows it.
    const messages = { OP_ID: "OP_TEST_DELAY", duration: 1, on_master: true, repeat: 600 };
    const id = await site.server.world.queue.submit([messages]);
    await site.goTo(page, `jobs/${id}`);
    const log = page.getByRole("list", { name: "Log" }).getByRole("listitem");
    await log.first().waitFor();
    const count = await log.count();
    await expect.poll(() => log.count(), { timeout: 60_000 }).toBeGreaterThan(count);
    await site.server.world.queue.cancel(id, { kill: true });
  });

  test("the overview shows the findings of a verification", async () => {
    const { page } = await site.open("overview", owner);
    const card = page.getByRole("region", { name: "Verification" });
    await card.getByText("has not been verified").waitFor();
    await card.getByRole("button", { name: "Verify now" }).click();
    await card.getByText("nothing is wrong").waitFor();
  });

  test.each([
    [
      "a reader",
      rita,
      "instances/a2.example.com",
      ["Start", "Stop", "Reboot", "Migrate", "Remove"],
    ],
    ["a reader", rita, "instances", ["Create", "Start", "Add tag"]],
    ["a reader", rita, "create?name=x", ["Create"]],
    ["a reader", rita, "overview", ["Verify now"]],
    ["a writer", jack, "overview", ["Verify now"]],
  ] as const)("%s finds buttons off, with the right that is missing (%s)", async (...row) => {
    const [, user, path, buttons] = row;
    const { page } = await site.open(path, user);
    for (const name of buttons) {
      const button = page.getByRole("button", { name, exact: true });
      await button.waitFor();
      expect(await button.getAttribute("aria-disabled"), name).toBe("true");
      expect(await button.getAttribute("title"), name).toContain("the option");
      const jobs = await site.server.world.queue.live();
      await button.click({ force: true });
      expect((await site.server.world.queue.live()).counts, name).toEqual(jobs.counts);
    }
  });
});
