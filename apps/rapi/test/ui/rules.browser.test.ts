// Filter rules in Chromium: display, editor with preview, moves, removal, and missing rights.
import type { JsonObject } from "@ganeti-ts/protocol";
import type { Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { aServer } from "../served.js";
import { describeSite, rita } from "./chromium.js";
import { dummy, withRules } from "./with-objects.js";

let uuids: string[];

const start = () => aServer();

describeSite("filter rules", start, (site) => {
  beforeEach(async () => {
    for (const { uuid } of site.server.world.queue.rules)
      await site.server.world.queue.deleteRule(uuid);
    await expect
      .poll(async () => (await site.server.world.queue.live()).counts.get("queued") ?? 0)
      .toBe(0);
    uuids = await withRules(site.server);
  });

  const items = (page: Page) =>
    page.getByRole("list", { name: "Rules in the order" }).getByRole("listitem");
  const order = () =>
    site.server.world.queue.rules
      .toSorted((a, b) => a.priority - b.priority)
      .map(({ uuid }) => uuids.indexOf(uuid));

  test("rules are shown in order and in words, with the jobs that they hold, and follow new jobs and rules", async () => {
    const { page, problems } = await site.open();
    await page.keyboard.press("g");
    await page.keyboard.press("f");
    await items(page).nth(3).waitFor();
    const texts = await items(page).allInnerTexts();
    expect(texts.map((text) => /^\w+/.exec(text)?.[0])).toEqual([
      ...["ACCEPT", "PAUSE", "RATE_LIMIT", "REJECT"],
    ]);
    expect(texts[1]).toContain(
      "Holds jobs in the queue if one of their operations has the kind test dummy.",
    );
    expect(texts[1]).toContain("3 queued");
    expect(texts[1]).toContain("Why: backup");
    const bucket = page.getByRole("meter", { name: "rate-limit:2:night" });
    expect(await bucket.getAttribute("aria-valuetext")).toBe("0 of 2");
    await site.server.world.queue.submit([dummy()]);
    await items(page).nth(1).getByText("4 queued").waitFor();
    await site.server.world.queue.addRule({
      priority: 99,
      predicates: [],
      action: "CONTINUE",
    } as never);
    await items(page).nth(4).waitFor();
    expect(problems).toEqual([]);
  });

  test("while a rule is written its jobs are shown, each fault at its condition; then it is stored", async () => {
    const { page } = await site.open("rules");
    await page.getByRole("button", { name: "Add a rule" }).click();
    const preview = page.getByRole("region", { name: "Preview" });
    await page.getByRole("button", { name: "+ condition" }).click();
    const condition = page.getByLabel("Condition 1", { exact: true });
    await condition.fill('OP_ID == "OP_TEST_DUMMY');
    await page.getByText("Expected a string or a number").first().waitFor();
    await condition.fill('OP_ID == "OP_TEST_DUMMY"');
    await preview.getByText("3 unfinished jobs caught").waitFor();
    await preview.getByText("An earlier rule decides about 3 listed jobs").waitFor();
    await page.getByRole("button", { name: "+ condition" }).click();
    await page.getByLabel("Condition 2: about").selectOption("jobid");
    const second = page.getByLabel("Condition 2", { exact: true });
    await second.fill('id > "watermrk"');
    await page.locator("small.fault").filter({ hasText: "watermrk" }).waitFor();
    expect(await second.getAttribute("aria-invalid")).toBe("true");
    expect(await condition.getAttribute("aria-invalid")).toBe("false");
    await second.fill('id > "watermark"');
    await preview.getByText("No unfinished job is caught now.").waitFor();
    await page.getByLabel("Priority").fill("5");
    await page.getByLabel("Action").selectOption("RATE_LIMIT");
    await page.getByLabel("Jobs at a time").fill("3");
    await page.getByLabel("Why").fill("new jobs wait");
    await expect.poll(() => page.url()).toContain("limit=3");
    await page.reload();
    expect(await page.getByLabel("Why").inputValue()).toBe("new jobs wait");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await items(page).nth(4).waitFor();
    const rule = site.server.world.queue.rules.find(({ priority }) => priority === 5);
    expect(rule).toMatchObject({
      action: ["RATE_LIMIT", 3],
      predicates: [
        ["opcode", ["==", "OP_ID", "OP_TEST_DUMMY"]],
        ["jobid", [">", "id", "watermark"]],
      ],
    });
    expect(rule?.reason_trail.map(([source, text]) => [source, text])).toEqual([
      ["ganeti-ts:user:jack", ""],
      ["gnt:user", "new jobs wait"],
      ["luxid", ""],
    ]);
  });

  test("a stored rule is changed, keeps its reasons, and its preview follows the jobs", async () => {
    const { page } = await site.open(`rules/${uuids[1]}`);
    const preview = page.getByRole("region", { name: "Preview" });
    await preview.getByText("3 unfinished jobs caught").waitFor();
    await site.server.world.queue.submit([dummy()]);
    await preview.getByText("4 unfinished jobs caught").waitFor();
    await page.getByLabel("Action").selectOption("REJECT");
    await preview.getByText("queued ones would be cancelled").waitFor();
    await page.getByRole("button", { name: "Store" }).click();
    await items(page).nth(3).waitFor();
    const { queue } = site.server.world;
    const rule = queue.rules.find(({ uuid }) => uuid === uuids[1]);
    expect(rule?.action).toBe("REJECT");
    expect(rule?.reason_trail.map(([source, text]) => [source, text]).slice(0, 2)).toEqual([
      ["ganeti-ts:user:jack", ""],
      ["gnt:user", "backup"],
    ]);
    await expect.poll(async () => (await queue.live()).counts.get("queued") ?? 0).toBe(0);
  });

  test("rules are moved by buttons, keys and dragging, and stand so in the queue", async () => {
    const { page } = await site.open("rules");
    await page.getByRole("button", { name: "Move rule 4 up" }).click();
    await page.getByText("The rule is now number 3 of 4.").waitFor();
    expect(order()).toEqual([0, 1, 3, 2]);
    await expect
      .poll(async () => (await items(page).nth(2).textContent())?.startsWith("REJECT"))
      .toBe(true);
    await page.getByRole("button", { name: "Move rule 1 down" }).focus();
    await page.keyboard.press("Alt+ArrowDown");
    await page.getByText("The rule is now number 2 of 4.").waitFor();
    expect(order()).toEqual([1, 0, 3, 2]);
    await expect
      .poll(async () => (await items(page).nth(0).textContent())?.startsWith("PAUSE"))
      .toBe(true);
    await items(page).nth(3).dragTo(items(page).nth(0));
    await page.getByText("The rule is now number 1 of 4.").waitFor();
    expect(order()).toEqual([2, 1, 0, 3]);
  });

  test("a move that changes which jobs match a rule needs a confirmation, and declining it changes nothing", async () => {
    const body: JsonObject = {
      priority: 40,
      predicates: [["jobid", [">", "id", "watermark"]]],
      action: "PAUSE",
    };
    const uuid = await site.server.world.queue.addRule(body);
    const { page } = await site.open("rules");
    await page.getByRole("button", { name: "Move rule 5 up" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("jobs submitted from now on").waitFor();
    await dialog.getByRole("button", { name: "Leave it" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(site.server.world.queue.rules.find((rule) => rule.uuid === uuid)?.priority).toBe(40);
    await page.getByRole("button", { name: "Remove rule 5" }).click();
    await dialog.getByRole("button", { name: "Remove" }).click();
    await page.getByText("The rule is removed.").waitFor();
    await expect.poll(() => items(page).count()).toBe(4);
  });

  test("a reader sees rules and previews, and every change is disabled with the missing right", async () => {
    const { page } = await site.open("rules", rita);
    for (const name of ["Add a rule", "Move rule 2 up", "Remove rule 2"]) {
      const button = page.getByRole("button", { name });
      expect(await button.getAttribute("title"), name).toContain("option write");
    }
    await page.getByRole("link", { name: "Show rule 2" }).click();
    await page.getByText("3 unfinished jobs caught").waitFor();
    const store = page.getByRole("button", { name: "Store" });
    expect(await store.getAttribute("title")).toContain("option write");
    await store.click({ force: true });
    expect(site.server.world.queue.rules.find(({ uuid }) => uuid === uuids[1])?.action).toBe(
      "PAUSE",
    );
  });
});
