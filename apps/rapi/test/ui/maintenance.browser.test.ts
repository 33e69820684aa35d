// A maintenance done completely in the page: plan, moves with a limit, reboot, return, balance; and its cancellation.
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { endOf, withInstances } from "../instances.js";
import { aSpecialServer } from "../served.js";
import { act, describeSite, rita, shot } from "./chromium.js";

const node = (short: string) => `${short}.example.com`;

const on = (name: string, pnode: string, more: object) => ({
  ...{ instance_name: node(name), pnode: node(pnode), iallocator: undefined },
  ...more,
});

/** Instances of `node2`: three that run there, one with its mirror there, and one without a mirror. */
const instances = [
  on("m1", "node2", { snode: node("node3") }),
  on("m2", "node2", { snode: node("node4") }),
  on("m3", "node2", { snode: node("node5") }),
  on("s1", "node3", { snode: node("node2") }),
  on("p1", "node2", { disk_template: "plain" }),
];

const start = async () => {
  const server = await aSpecialServer({}, "--nodes=5", "--groups=1");
  await withInstances(server, instances as never);
  return server;
};

describeSite("a maintenance in the page", start, (site) => {
  /** Names of instances on a node: those that run there, then those with their mirror there. */
  function instancesOn(name: string): readonly (readonly string[])[] {
    const now = site.server.cluster.snapshot();
    const { uuid } = now.find("node", name) as never as { uuid: never };
    const { primary, secondary } = now.instancesOfNode(uuid);
    return [primary, secondary].map((all) => all.map((one) => String(one.name)).toSorted());
  }

  /** A rule that holds jobs with an operation. */
  async function hold(operation: string): Promise<string> {
    const predicates = [["opcode", ["==", "OP_ID", operation]]];
    return await site.server.world.queue.addRule({
      priority: 1,
      predicates,
      action: "PAUSE",
    } as never);
  }

  const bootOf = async (page: Page): Promise<string | null> => {
    await site.goTo(page, `nodes/${node("node2")}`);
    return page.locator("dt", { hasText: "Boot" }).locator("+ dd").textContent();
  };

  test("a submitted plan can be stopped: jobs that have not started are cancelled, and nothing is moved", async () => {
    const rule = await hold("OP_INSTANCE_MIGRATE");
    const { page, problems } = await site.open(`maintenance?nodes=${node("node2")}&limit=1`);
    await act(page, "Make 3 moves");
    const card = page.getByRole("region", { name: "Jobs of the plan" });
    await card.getByText("0 of 3 have ended").waitFor();
    await page.reload();
    await card.getByText("0 of 3 have ended").waitFor();
    await card.getByRole("button", { name: "Stop" }).click();
    await card.getByText("3 of 3 have ended").waitFor();
    await card.getByText("3 were cancelled").waitFor();
    await shot(page, "maintenance-stopped");
    expect(instancesOn(node("node2"))[0]).toEqual(["m1", "m2", "m3", "p1"].map(node));
    await site.server.world.queue.deleteRule(rule);
    await card.getByRole("button", { name: "Plan again" }).click();
    await page.getByRole("button", { name: "Make 3 moves" }).waitFor();
    expect(problems).toEqual([]);
  });

  test.each([
    [`maintenance?nodes=node2.example.com&scope=all`, /^Make \d+ moves?$/],
    [`maintenance?nodes=node2.example.com`, "Drain"],
    [`maintenance?nodes=node2.example.com`, "Power cycle"],
    ["nodes", "Set offline"],
    ["nodes/node2.example.com", "Bring back"],
    ["nodes/node2.example.com", "Switch off"],
    ["nodes/node2.example.com", "Volume groups"],
  ])("a reader sees the plan of %s, and finds %s off with the reason", async (path, name) => {
    const { page } = await site.open(`${path}`, rita);
    const button = page.getByRole("button", { name, exact: true });
    await button.waitFor();
    expect(await button.getAttribute("aria-disabled")).toBe("true");
    expect(await button.getAttribute("title")).toContain("the option");
    const jobs = (await site.server.world.queue.live()).counts;
    await button.click({ force: true });
    expect(await page.getByRole("dialog").count()).toBe(0);
    expect((await site.server.world.queue.live()).counts).toEqual(jobs);
  });

  test("creations are held by a rule, a node is drained, emptied with a limit, rebooted and brought back, the group balanced, and the rule removed", async () => {
    const { page, problems } = await site.open();
    const condition = 'opcode OP_ID == "OP_INSTANCE_CREATE"';
    const form = new URLSearchParams({ if: condition, why: "maintenance of node2" });
    await site.goTo(page, `rules/new?${form}`);
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("button", { name: "Remove rule 1" }).waitFor();
    const create = { OP_ID: "OP_INSTANCE_CREATE", instance_name: node("new1"), mode: "create" };
    const disks = { nics: [{}], disk_template: "drbd", disks: [{ size: 1024 }] };
    const held = await site.server.world.queue.submit([
      { ...create, ...disks, os_type: "noop+default", iallocator: "hail" },
    ]);
    const boot = await bootOf(page);

    await page.keyboard.press("g");
    await page.keyboard.press("m");
    await page.getByLabel(node("node2")).check();
    await page.getByText("node2.example.com is not drained").waitFor();
    await act(page, "Drain");
    await page.getByRole("region", { name: "Chosen nodes" }).getByText("drained").first().waitFor();
    await page.getByLabel("What leaves the nodes").selectOption("all");
    await page.getByLabel("Jobs at the same time").fill("1");
    const stuck = page.getByRole("region", { name: "What cannot move", exact: true });
    await stuck.getByText("Its disks are on this node only").waitFor();
    await page.getByRole("button", { name: "Make 4 moves" }).waitFor();
    const moves = page.getByRole("region", { name: "Moves, in this order", exact: true });
    expect(await moves.getByRole("link").allTextContents()).toEqual(
      ["m1", "m2", "m3", "s1"].map(node),
    );
    await shot(page, "maintenance-planned");

    await act(page, "Make 4 moves");
    const card = page.getByRole("region", { name: "Jobs of the plan" });
    await card.getByText("4 of 4 have ended").waitFor();
    await card.getByText("All moves are done").waitFor();
    await shot(page, "maintenance-done");
    expect(instancesOn(node("node2"))).toEqual([[node("p1")], []]);

    await act(page, "Power cycle");
    await page.getByText("1 job submitted").waitFor();
    await expect.poll(() => bootOf(page), { timeout: 30_000 }).not.toBe(boot);
    await page.goBack();
    await act(page, "Bring back");
    await page.getByText("regular").or(page.getByText("master candidate")).first().waitFor();
    expect(site.server.cluster.snapshot().find("node", node("node2"))).toMatchObject({
      ...{ drained: false, offline: false },
    });

    await page.getByRole("link", { name: "balance default" }).click();
    await page.getByText("score now").waitFor();
    const figures = page.getByRole("listitem").locator("strong");
    const [before, after] = (await figures.allTextContents()).map(Number);
    expect(after).toBeLessThan(before as number);
    await shot(page, "balance-planned");
    const run = page.getByRole("button", { name: /^Make \d+ moves?$/ });
    await act(page, (await run.textContent()) as string);
    await page.getByText("default is balanced.").waitFor();
    await page.getByRole("button", { name: "Plan again" }).click();
    await page.getByText("score now").waitFor();
    expect(Number(await figures.first().textContent())).toBeLessThan(before as number);
    expect(instancesOn(node("node2")).flat().length).toBeGreaterThan(1);

    const statusOf = async () => (await site.server.world.queue.query([held], ["status"]))[0]?.[0];
    expect(await statusOf()).toBe("queued");
    await site.goTo(page, `rules`);
    await page.getByRole("button", { name: "Remove rule 1" }).click();
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /Remove/ })
      .click();
    expect((await endOf(site.server, held))[0]).toBe("success");
    expect(problems).toEqual([]);
  });

  test("options of the balance are in the address, and a wrong one is explained", async () => {
    const { page } = await site.open("balance?moves=0");
    await page.getByText("The plan ends at the limit of moves").waitFor();
    await page.getByText("More options").click();
    await page.getByLabel("Instances that stay").fill("nosuch");
    await page.getByRole("alert").getByText("There is no instance nosuch").waitFor();
    expect(page.url()).toContain("stay=nosuch");
    await page.getByLabel("Least gain of a move").fill("much");
    await page.getByText("A number such as 0.01").waitFor();
  });
});
