// Networks in Chromium: the map of addresses, reservations, connections, and missing rights.
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { withInstances } from "../instances.js";
import { aServer } from "../served.js";
import { describeSite, rita, shot } from "./chromium.js";
import { withNetwork } from "./with-objects.js";

const start = async () => {
  const server = await aServer();
  await withNetwork(server);
  const nics = [{ network: "backend", ip: "198.51.100.7" }];
  await withInstances(server, [{ instance_name: "web1.example.com", nics }]);
  return server;
};

describeSite("networks", start, (site) => {
  const cell = (page: Page, name: string) => page.getByRole("gridcell", { name });
  const network = (name: string) => site.server.cluster.snapshot().find("network", name);

  test("a click or the keys select an address and show its user; the URL keeps the selection", async () => {
    const { page, problems } = await site.open();
    await page.keyboard.press("g");
    await page.keyboard.press("w");
    await page.getByRole("link", { name: "backend" }).click();
    await page.getByText("2001:db8::/64", { exact: true }).waitFor();
    await cell(page, "198.51.100.7: used by web1.example.com").click();
    const card = page.getByRole("region", { name: "Addresses" });
    await card.getByRole("link", { name: "web1.example.com" }).waitFor();
    await page.keyboard.press("ArrowDown");
    await card.getByText("198.51.100.39 is free").waitFor();
    await page.keyboard.press("Control+End");
    await card.getByText("198.51.100.255 is the broadcast address").waitFor();
    await page.keyboard.press("Home");
    await card.getByText("198.51.100.224 is free").waitFor();
    expect(await page.evaluate("document.activeElement.dataset.index")).toBe("224");
    await expect.poll(() => page.url()).toContain("ip=198.51.100.224");
    await page.reload();
    await card.getByText("198.51.100.224 is free").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("198.51.100.20");
    await page.keyboard.press("Enter");
    await card.getByText("198.51.100.20 is reserved externally").waitFor();
    expect(problems).toEqual([]);
  });

  test.each([
    { list: "networks", path: "networks", request: "**/2/query/network", shown: "198.51.100.0/24" },
    { list: "instances", path: "instances", request: "**/2/query/instance", shown: "web1" },
  ])("a list of $list whose request has failed is read again", async ({ path, request, shown }) => {
    const { page } = await site.open();
    const refuse = { status: 503, body: '{"message":"Too many requests"}' };
    await page.route(request, (route) => route.fulfill(refuse), { times: 1 });
    await site.goTo(page, path);
    await page.getByText("Too many requests").waitFor();
    await page.getByText(shown).first().waitFor();
    await page.getByText("Too many requests").waitFor({ state: "detached" });
  });

  test("addresses are reserved and released, one and several, and the map follows", async () => {
    const { page } = await site.open("networks/backend?ip=198.51.100.50");
    await page.getByRole("button", { name: "Reserve it" }).click();
    await cell(page, "198.51.100.50: reserved externally").waitFor();
    await page.getByRole("button", { name: "Release it" }).click();
    await cell(page, "198.51.100.50: free").waitFor();
    const field = page.getByLabel("Addresses to reserve or release");
    await field.fill("198.51.100.60-198.51.100.62, 192.0.2.1");
    await page.getByText("192.0.2.1 is not an address of this network").waitFor();
    await field.fill("198.51.100.60-198.51.100.62");
    await page.getByRole("button", { name: "Reserve", exact: true }).click();
    await cell(page, "198.51.100.62: reserved externally").waitFor();
    const bits = () => network("backend")?.ext_reservations.slice(59, 64);
    expect(bits()).toBe("01110");
    await field.fill("198.51.100.60, 198.51.100.62");
    await page.getByRole("button", { name: "Release", exact: true }).click();
    await cell(page, "198.51.100.62: free").waitFor();
    expect(bits()).toBe("00100");
  });

  test("an instance that comes or goes changes the map", async () => {
    const { page } = await site.open("networks/backend");
    await cell(page, "198.51.100.7: used by web1.example.com").waitFor();
    const nics = [{ network: "backend", ip: "198.51.100.8" }];
    await withInstances(site.server, [{ instance_name: "web2.example.com", nics }]);
    await cell(page, "198.51.100.8: used by web2.example.com").waitFor();
  });

  test("a network is added, connected, changed, disconnected and removed", async () => {
    const { page } = await site.open("networks/new");
    await page.getByLabel("Name").fill("front");
    await page.getByLabel("IPv4 network").fill("192.0.2.0/33");
    await page.getByText("Write an IPv4 network of 16 to 30 bits").first().waitFor();
    await page.getByLabel("IPv4 network").fill("192.0.2.64/26");
    await page.getByLabel("Gateway", { exact: true }).fill("192.0.2.65");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("link", { name: "Go to front" }).click();
    await page.getByText("It is connected to no node group").waitFor();
    await page.getByLabel("Link").fill("xen-br0");
    await page.getByRole("button", { name: "Connect", exact: true }).click();
    await page.getByText("bridged, link xen-br0").waitFor();
    const remove = page.getByRole("button", { name: "Remove the network" });
    expect(await remove.getAttribute("title")).toContain("disconnect it first");
    await page.getByText("Change it").click();
    await page.getByLabel("IPv6 network").fill("2001:db8:1::/64");
    await page.getByRole("button", { name: "Store" }).click();
    await page.getByText("2001:db8:1::/64", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Disconnect default" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Disconnect" }).click();
    await page.getByText("It is connected to no node group").waitFor();
    await remove.click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await page.getByText("There is no network front").waitFor();
    expect(network("front")).toBe(undefined);
  });

  test("a network of 65 536 addresses keeps only the rows in view in the page", async () => {
    await withNetwork(site.server, {
      network_name: "large",
      network: "10.0.0.0/16",
      gateway: "10.0.0.1",
      add_reserved_ips: ["10.0.200.9"],
      network6: "2001:db8:2::/64",
      gateway6: "2001:db8:2::1",
    });
    const { page } = await site.open("networks/large?ip=10.0.200.9");
    await page.getByText("10.0.200.9 is reserved externally").waitFor();
    await cell(page, "10.0.200.9: reserved externally").waitFor();
    expect(await page.getByRole("gridcell").count()).toBeLessThan(1500);
    await shot(page, "network-large");
  });

  test("every change is disabled for a reader, with the missing right", async () => {
    const { page } = await site.open("networks/backend?ip=198.51.100.90", rita);
    const names = ["Reserve it", "Disconnect default", "Remove the network"];
    for (const name of names) {
      const button = page.getByRole("button", { name });
      await button.waitFor();
      expect(await button.getAttribute("title"), name).toContain("option write");
    }
    const jobs = (await site.server.world.queue.live()).size;
    await page.getByRole("button", { name: "Reserve it" }).click({ force: true });
    expect((await site.server.world.queue.live()).size).toBe(jobs);
  });
});
