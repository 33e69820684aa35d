import { expect, test } from "vitest";
import { endOf, withInstances } from "../instances.js";
import { aSpecialServer } from "../served.js";
import { act, describeSite } from "./chromium.js";

const users = "jack abc123 write\nowner abc123 write,full\n";
const owner = ["owner", "abc123"] as const;

/** Timeout (ms) of a job on a busy machine. */
const patience = { timeout: 30_000 };

const start = async () => {
  const server = await aSpecialServer({ users }, "--nodes=6", "--groups=2");
  await withInstances(server, [{ instance_name: "a1.example.com" }] as never);
  return server;
};

describeSite("nodes and groups", start, (site) => {
  const flags = (short: string) =>
    site.server.cluster.snapshot().find("node", `${short}.example.com`);

  test("several nodes are drained and brought back at once; search, filter and order are in the address", async () => {
    const { page, problems } = await site.open();
    await page.keyboard.press("g");
    await page.keyboard.press("n");
    await page.getByText("6 of 6").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("node");
    await page.getByLabel("Choose node5.example.com").check();
    await page.getByLabel("Choose node6.example.com").check();
    await act(page, "Drain");
    await page.getByText("2 jobs submitted").waitFor();
    await expect
      .poll(() => [flags("node5")?.drained, flags("node6")?.drained], patience)
      .toEqual([true, true]);
    await page.getByLabel("Filter in Ganeti's query syntax").fill('role == "D"');
    await page.getByRole("button", { name: "Filter", exact: true }).click();
    await page.getByText("2 of 2").waitFor();
    await page.getByLabel("Choose all that are shown").check();
    await act(page, "Bring back");
    await page.getByText("No node matches the filter.").waitFor();
    expect([flags("node5")?.drained, flags("node6")?.drained]).toEqual([false, false]);
    await page.getByRole("link", { name: "Show all" }).click();
    await page.getByRole("button", { name: "Name" }).click();
    expect(page.url()).toContain("order=-name");
    await page.getByLabel("Choose node6.example.com").check();
    await page.getByRole("link", { name: "Plan a maintenance of node6" }).click();
    await page.getByRole("region", { name: "Chosen nodes", exact: true }).waitFor();
    expect(problems).toEqual([]);
  });

  test("a node's page follows its role and tags, and lists its storage", async () => {
    const { page, problems } = await site.open("nodes/node3.example.com");
    await page.getByText("N+1 holds").waitFor();
    await page.getByRole("button", { name: "Add tag" }).click();
    await page.getByRole("dialog").getByLabel("Tag").fill("rack:7");
    await page.getByRole("dialog").getByRole("button", { name: "Add tag" }).click();
    await page.getByRole("link", { name: "rack:7" }).waitFor();
    await page.getByRole("button", { name: "Remove tag rack:7" }).click();
    await page.getByRole("link", { name: "rack:7" }).waitFor({ state: "detached" });
    await act(page, "Set offline");
    await page.getByText("offline", { exact: true }).first().waitFor();
    expect(flags("node3")?.offline).toBe(true);
    await act(page, "Bring back");
    await expect.poll(() => flags("node3")?.offline, patience).toBe(false);
    await page.getByRole("button", { name: "Volume groups" }).click();
    await page.getByRole("region", { name: "Units", exact: true }).getByText("lvm-vg").waitFor();
    await page
      .getByRole("region", { name: "History", exact: true })
      .getByText("NODE_SET_PARAMS")
      .first()
      .waitFor();
    expect(problems).toEqual([]);
  });

  test("power is off with a reason until an out-of-band program is set, and then switches the node off", async () => {
    const { page } = await site.open("nodes/node4.example.com", owner);
    const off = page.getByRole("button", { name: "Switch off" });
    expect(await off.getAttribute("title")).toContain("No out-of-band program is set");
    const set = {
      OP_ID: "OP_NODE_SET_PARAMS",
      node_name: "node4.example.com",
      ndparams: { oob_program: "/bin/oob" },
    };
    const id = await site.server.world.queue.submit([set]);
    expect((await endOf(site.server, id))[0]).toBe("success");
    await page.getByText("thought to be on").waitFor();
    const offline = { OP_ID: "OP_NODE_SET_PARAMS", node_name: "node4.example.com", offline: true };
    await endOf(site.server, await site.server.world.queue.submit([offline]));
    await act(page, "Switch off");
    await page.getByText("1 job submitted").waitFor();
    await page.getByText("thought to be off").waitFor();
    await act(page, "Switch on");
    await page.getByText("thought to be on").waitFor();
  });

  test("a group takes no new instances after a choice, and links to its maintenance and balance", async () => {
    const { page } = await site.open();
    await page.keyboard.press("g");
    await page.keyboard.press("g");
    await page.getByRole("link", { name: "group2" }).click();
    await page.getByRole("region", { name: "Instance policy", exact: true }).waitFor();
    await page.getByLabel("New instances").selectOption("unallocable");
    const policy = () => site.server.cluster.snapshot().find("group", "group2")?.alloc_policy;
    await expect.poll(policy, patience).toBe("unallocable");
    await page.getByRole("link", { name: "Plan its maintenance" }).click();
    await page.getByRole("region", { name: "Chosen nodes", exact: true }).waitFor();
    expect(await page.getByLabel("All of group group2").isChecked()).toBe(true);
    await page.keyboard.press("g");
    await page.keyboard.press("b");
    await page.getByText("score now").waitFor();
  });

  test("an unknown node or group is named, with a link back", async () => {
    const { page } = await site.open("nodes/nosuch");
    await page.getByRole("alert").filter({ hasText: "nosuch" }).waitFor();
    await page.getByRole("link", { name: "All nodes" }).click();
    await page.getByText("6 of 6").waitFor();
    await site.goTo(page, "groups/nosuch");
    await page.getByRole("alert").filter({ hasText: "nosuch" }).waitFor();
    await site.goTo(page, "maintenance?nodes=nosuch,node1.example.com");
    await page.getByText("There is no node nosuch: it is left out.").waitFor();
    await page.getByText("run gnt-cluster master-failover").waitFor();
  });
});
