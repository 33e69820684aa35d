// Every page in light, dark and on a phone: accessibility by axe, nothing wider than the window, no image without a size.
import axe from "axe-core";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withInstances } from "../instances.js";
import { aServer } from "../served.js";
import { describeSite, type Session, shot, unseenPictures } from "./chromium.js";
import { withNetwork, withRules } from "./with-objects.js";

const name = "web1.example.com";

/** Nodes that a maintenance empties. */
const chosen = "node2.example.com,node3.example.com";

/** Instances on two nodes, of which one has no mirror. */
const unbalanced = ["db1", "db2", "db3", "files"].map((short, at) => ({
  ...{ instance_name: `${short}.example.com`, iallocator: undefined, pnode: "node2.example.com" },
  ...(short === "files" ? { disk_template: "plain" } : { snode: "node3.example.com" }),
  beparams: { memory: 2048 * (at + 1) },
}));

/** Address of each page, and a text that it shows when it is complete. */
const pages = [
  ["overview", "overview", "more instances of the standard size"],
  ["instances", "instances", "6 of 6"],
  ["instance", `instances/${name}`, "History"],
  ["nodes", "nodes", "8 of 8"],
  ["node", "nodes/node2.example.com", "History"],
  ["groups", "groups", "2 of 2"],
  ["group", "groups/default", "History"],
  ["maintenance", `maintenance?nodes=${chosen}&scope=all`, "Before and after"],
  ["maintenance-empty", "maintenance", "Choose nodes"],
  ["balance", "balance?group=default", "lower bound"],
  ["jobs", "jobs", "INSTANCE_CREATE"],
  ["job", "jobs/3", "instance create"],
  ["create", `create?name=${name}`, "such instances fit now"],
  ["create-refused", "create?memory=99g", "Smallest changes"],
  ["console-serial", `instances/${name}/console/serial`, "login:"],
  ["console-vnc", `instances/${name}/console/vnc`, "Send Ctrl-Alt-Del"],
  ["rules", "rules", "3 queued"],
  [
    "rule-new",
    `rules/new?if=${encodeURIComponent('opcode OP_ID == "OP_TEST_DUMMY"')}`,
    "3 unfinished jobs",
  ],
  [
    "rule-faulty",
    "rules/new?priority=x&if=opcode%20OP_ID%20%3D%3D",
    "Expected a string or a number",
  ],
  ["networks", "networks", "198.51.100.0/24"],
  ["network", "networks/backend?ip=198.51.100.2", "is used by web"],
  ["network-new", "networks/new", "Give the network a name first"],
  ["audit", "audit?object=web1", "INSTANCE_CREATE"],
] as const;

const looks = [
  ["light", { colorScheme: "light" }],
  ["dark", { colorScheme: "dark" }],
  ["360", { colorScheme: "light", viewport: { width: 360, height: 740 } }],
] as const;

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

async function violationsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<{ violations: Violation[] }>("axe.run()");
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
  );
}

const start = async () => {
  const server = await aServer("--nodes=8");
  const names = [name, "web2.example.com"];
  await withNetwork(server);
  const nics = [{ network: "backend", ip: "pool" }];
  await withInstances(
    server,
    names.map((one) => ({ instance_name: one, tags: ["a"], nics })) as never,
  );
  await withInstances(server, unbalanced as never);
  await withRules(server);
  return server;
};

describeSite("how pages look", start, (site) => {
  describe.each(looks)("%s", (look, options) => {
    test("the page for logins is accessible", async () => {
      const page = await site.newPage(options);
      await page.goto(`${site.server.url}/ui/`);
      await page.getByLabel("Password").waitFor();
      await shot(page, `login-${look}`);
      expect(await violationsOf(page)).toEqual([]);
      expect(await unseenPictures(page)).toEqual([]);
    });

    let session: Session;
    beforeAll(async () => {
      const context = await site.browser.newContext({ ignoreHTTPSErrors: true, ...options });
      session = await site.logIn(await context.newPage());
    });
    afterAll(() => session?.page.context().close());

    test.each(pages)(
      "the page %s is accessible, fits the window and shows its pictures",
      async (title, path, text) => {
        const { page, problems } = session;
        await site.goTo(page, path);
        await page.getByText(text).first().waitFor();
        await expect.poll(() => unseenPictures(page)).toEqual([]);
        await shot(page, `${title}-${look}`);
        expect(await violationsOf(page)).toEqual([]);
        const wide = "document.documentElement.scrollWidth - innerWidth";
        expect(await page.evaluate<number>(wide)).toBeLessThanOrEqual(0);
        expect(problems.splice(0)).toEqual([]);
      },
    );
  });

  test("help on keys and filters is accessible, and Escape closes it", async () => {
    const { page } = await site.open();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await site.goTo(page, `instances`);
    await page.getByRole("button", { name: "Help on filters" }).click();
    const help = page.getByRole("dialog", { name: "Help on filters" });
    await help.getByText("Fields").click();
    await help.getByText("be/maxmem").waitFor();
    await shot(page, "filter-help");
    expect(await violationsOf(page)).toEqual([]);
    await help.getByRole("button", { name: 'disk_template == "drbd"' }).click();
    await page.getByText("No instance matches the filter.").waitFor();
  });
});
