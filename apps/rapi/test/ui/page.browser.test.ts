import { expect, test } from "vitest";
import { done, withInstances } from "../instances.js";
import { aServer } from "../served.js";
import { act, describeSite, jack, rita, shot } from "./chromium.js";

const start = async () => {
  const server = await aServer();
  const names = ["web1.example.com", "web2.example.com"];
  await withInstances(server, names.map((instance_name) => ({ instance_name })) as never);
  return server;
};

describeSite("the page", start, (site) => {
  test.each(["light", "dark"] as const)(
    "a writer stops and starts an instance and sees it live, in %s",
    async (colorScheme) => {
      const { page, problems } = await site.open("overview", jack, { colorScheme });
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
      await act(page, "Stop");
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
    },
  );

  test("a filter in Ganeti's syntax narrows the list, and a wrong one says what is wrong", async () => {
    const { page } = await site.open("overview", rita, { viewport: { width: 360, height: 740 } });
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
  });

  test("a reader's buttons are disabled and show the reason", async () => {
    const { page } = await site.open("instances/web1.example.com", rita);
    const stop = page.getByRole("button", { name: "Stop" });
    await stop.waitFor();
    expect(await stop.isDisabled()).toBe(true);
    expect(await stop.getAttribute("title")).toContain("option write");
  });

  test("the overview counts instances of the policy's standard size on its first template", async () => {
    const std = {
      ...{ "memory-size": 512, "cpu-count": 2, "disk-size": 2048 },
      ...{ "disk-count": 1, "nic-count": 1, "spindle-use": 1 },
    };
    const ipolicy = { std, "disk-templates": ["plain", "drbd"] };
    const change = { OP_ID: "OP_CLUSTER_SET_PARAMS", ipolicy };
    await done(site.server, change);
    const { page } = await site.open("overview", rita);
    const card = page.getByRole("region", { name: "Capacity left" });
    await card.getByText("512 MiB memory, 2 CPUs, 2 GiB disk (plain)").waitFor();
    const size = { beparams: { memory: 512, vcpus: 2 }, disk_template: "plain" } as const;
    const disks = [{ size: 2048 }];
    const { count } = await site.server.world.planner.capacity({ ...size, disks, nics: [{}] });
    await card.getByText(String(count), { exact: true }).waitFor();
    await shot(page, "overview-standard");
  });
});
