import { expect, test } from "vitest";
import { withInstances } from "../instances.js";
import { aServer } from "../served.js";
import { describeSite, rita } from "./chromium.js";

const start = async () => {
  const server = await aServer();
  await withInstances(server, [{ instance_name: "web1.example.com" }] as never);
  return server;
};

describeSite("the simulator of a server", start, (site) => {
  test("a user who has logged in simulates the current cluster", async () => {
    const { page, problems } = await site.open("overview", rita);
    const answer = await page.goto(`${site.server.url}/ui/simulator.html`);
    const policy = answer?.headers()["content-security-policy"] ?? "";
    expect(policy).toContain("sha256-");
    expect(policy).not.toContain("unsafe-inline");
    await page.getByRole("button", { name: "Take the current cluster" }).click();
    await page.getByText("4 nodes, 1 instances").waitFor();
    await page.getByLabel("Storage", { exact: true }).selectOption("plain");
    await page.getByLabel("Number").fill("2");
    await page.getByLabel("Memory (GiB)").fill("0.5");
    await page.getByLabel("Disk (GiB)").fill("1");
    await page.getByRole("button", { name: "Place them" }).click();
    await page.getByText("2 of 2 instances placed").waitFor();
    expect(problems).toEqual([]);
  });
});
