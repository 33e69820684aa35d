// Texts that contain markup, other sites, a server that disappears, and very many instances.
import { createServer } from "node:http";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { withInstances } from "../instances.js";
import { aServer } from "../served.js";
import { describeSite, freePort, shot } from "./chromium.js";
import { withNetwork, withRules } from "./with-objects.js";

const name = "web1.example.com";
const nodeName = "node1.example.com";
const otherNode = "node2.example.com";
const markup = `"'><img src=x onerror="window.hit=1"><script>window.hit=1</script>`;

/** Both nodes of the instance, as the page knows them. */
const both = [nodeName, otherNode].map((one) => one + markup).join();

/** A step in a plan, so that its parts are shown. */
const step = { instance: name, from: [nodeName], to: [otherNode], move: "r:x f", score: 1, set: 0 };

/** Every text of an answer with markup behind it; keys, statuses and numbers as they are. */
function infected(value: unknown): unknown {
  if (typeof value === "string")
    return /^(?:running|success|up|drbd|C|text)$/.test(value) ? value : value + markup;
  if (Array.isArray(value)) return value.map(infected);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, of]) => [key, infected(of)]));
}

const start = async () => {
  const server = await aServer("-p", String(await freePort()));
  await withInstances(server, [
    {
      ...{ instance_name: name, tags: ["a"], iallocator: undefined },
      pnode: nodeName,
      snode: otherNode,
    },
  ] as never);
  await withNetwork(server);
  await withRules(server);
  return server;
};

describeSite("the page among enemies", start, (site) => {
  const paths = [
    ...["overview", "instances", `instances/${name}`, "jobs", "jobs/1", "create?name=x"],
    ...["nodes", `nodes/${nodeName}`, "groups", "groups/default", "balance?group=default"],
    `maintenance?scope=other-groups&nodes=${encodeURIComponent(both)}`,
    `maintenance?nodes=${nodeName}&jobs=1`,
    ...["rules", "rules/new?if=opcode", "networks", "networks/backend?ip=198.51.100.9", "audit"],
  ];

  test.each(paths)("markup in every text that the server sends stays text: %s", async (path) => {
    const { page } = await site.open();
    let count = 0;
    await page.route(/\/(?:2|ganeti-ts\/1)\/(?!events|whoami)/, async (route) => {
      if (route.request().url().endsWith("/2/os")) {
        // A GET that makes a job counts from the page alone, and not from this test.
        await route.fulfill({ json: infected(["debian"]) });
        return;
      }
      // The page asks with the names that it was given; the server knows them without markup.
      const postData = route
        .request()
        .postData()
        ?.replaceAll(JSON.stringify(markup).slice(1, -1), "");
      const response = await route.fetch(postData === undefined ? {} : { postData });
      const body: unknown = await response.json();
      count += 1;
      const isBalance = route.request().url().endsWith("/balance");
      const shown = isBalance ? { ...(body as object), steps: [step] } : body;
      await route.fulfill({ response, json: infected(shown) });
    });
    await site.goTo(page, `${path}`);
    await page.reload();
    await page.getByText("onerror").first().waitFor({ state: "attached" });
    await page.waitForTimeout(300);
    if (/balance|scope/.test(path)) await page.getByText("Before and after").waitFor();
    expect(count).toBeGreaterThan(0);
    expect(await page.evaluate("window.hit")).toBe(undefined);
    expect(await page.locator("img").count()).toBe(1);
    expect(await page.locator("#page script").count()).toBe(0);
  });

  test.each([
    `instances?q=${encodeURIComponent(markup)}`,
    `instances?filter=${encodeURIComponent(markup)}`,
    `instances?columns=${encodeURIComponent(markup)}&order=${encodeURIComponent(markup)}`,
    `instances/${encodeURIComponent(markup)}`,
    `jobs/${encodeURIComponent(markup)}`,
    `nodes/${encodeURIComponent(markup)}`,
    `groups/${encodeURIComponent(markup)}`,
    `maintenance?nodes=${encodeURIComponent(markup)}&jobs=${encodeURIComponent(markup)}`,
    `maintenance?limit=${encodeURIComponent(markup)}&nodes=${nodeName}`,
    `balance?group=${encodeURIComponent(markup)}&stay=${encodeURIComponent(markup)}`,
    `balance?moves=${encodeURIComponent(markup)}&keep=${encodeURIComponent(markup)}`,
    encodeURIComponent(markup),
    `create?name=${encodeURIComponent(markup)}&os=${encodeURIComponent(markup)}`,
    `rules/new?if=${encodeURIComponent(`reason ${markup}`)}&why=${encodeURIComponent(markup)}`,
    `rules/${encodeURIComponent(markup)}`,
    `networks/${encodeURIComponent(markup)}`,
    `networks/backend?ip=${encodeURIComponent(markup)}`,
    `audit?object=${encodeURIComponent(markup)}&cause=${encodeURIComponent(markup)}`,
    "constructor",
    "instances/%E0%A4%A",
    "jobs/../../2/instances",
  ])("markup in the address stays text: %s", async (path) => {
    const { page } = await site.open(`${path}`);
    await page.waitForTimeout(500);
    expect(await page.evaluate("window.hit")).toBe(undefined);
    expect(await page.locator("img").count()).toBe(1);
  });

  test("the policy stops scripts, styles and connections that are not the server's own", async () => {
    const { page, problems } = await site.open();
    await page.evaluate(`
      const script = document.createElement("script");
      script.textContent = "window.hit = 1";
      document.body.append(script);
      fetch("https://example.org/").catch(() => { window.refused = 1; });
    `);
    await expect.poll(() => page.evaluate("window.refused")).toBe(1);
    expect(await page.evaluate("window.hit")).toBe(undefined);
    expect(problems.some((text) => text.includes("Content Security Policy"))).toBe(true);
  });

  test("another site can neither frame the page, nor change anything with the session, nor read it", async () => {
    const { page } = await site.open();
    const evil = createServer((_, answer) => {
      answer.setHeader("content-type", "text/html");
      answer.end(`<iframe src="${site.server.url}/ui/"></iframe>
        <form method="post" action="${site.server.url}/2/instances/${name}/reboot"></form>`);
    });
    await new Promise<void>((resolve) => evil.listen(0, "127.0.0.1", resolve));
    const { port } = evil.address() as { port: number };
    const jobs = await site.server.world.queue.live();
    const other = await page.context().newPage();
    await other.goto(`http://127.0.0.1:${port}/`);
    await other.waitForTimeout(300);
    const framed = other.frames().find((frame) => frame !== other.mainFrame());
    expect(await framed?.evaluate("document.getElementById('page')")).toBe(null);
    const status = await other.evaluate<string>(`
      fetch("${site.server.url}/2/instances/${name}/reboot", { method: "POST", credentials: "include",
        headers: { "x-ganeti-ui": "active" } }).then((answer) => answer.status, String)`);
    expect(status).toContain("TypeError");
    await other.evaluate("document.forms[0].submit()");
    await other.waitForLoadState();
    expect((await site.server.world.queue.live()).counts).toEqual(jobs.counts);
    await new Promise((resolve) => evil.close(resolve));
  });

  test("after a logout the page shows nothing of the cluster, also by the back button", async () => {
    const { page } = await site.open(`instances/${name}`);
    await page.getByRole("heading", { name }).waitFor();
    await page.getByRole("button", { name: "Log out" }).click();
    await page.getByLabel("Password").waitFor();
    await page.goBack();
    await page.reload();
    await page.getByLabel("Password").waitFor();
    expect(await page.getByText(name).count()).toBe(0);
  });

  test("a forged cookie ends the session at the next request", async () => {
    const { page } = await site.open();
    await page.context().addCookies([
      {
        ...{ name: "__Host-ganeti", value: "amFjaw.1.x", path: "/", domain: "127.0.0.1" },
        ...{ secure: true, httpOnly: true, sameSite: "Strict" },
      },
    ]);
    await site.goTo(page, `jobs`);
    await page.getByLabel("Password").waitFor();
  });

  async function manyInstances(page: Page, count: number): Promise<void> {
    await page.route("**/2/query/instance", async (route) => {
      const { fields } = route.request().postDataJSON() as { fields: string[] };
      const values: Record<string, (at: number) => unknown> = {
        uuid: (at) => `u${at}`,
        name: (at) => `instance${at}.example.com`,
        status: () => "running",
        pnode: (at) => `node${at % 200}.example.com`,
      };
      const data = Array.from({ length: count }, (_, at) =>
        fields.map((field) => [0, values[field]?.(at) ?? null]),
      );
      await route.fulfill({ json: { fields: fields.map((one) => ({ name: one })), data } });
    });
  }

  test("of 20 000 instances only those in view are in the page, and each one can be found, selected and opened", async () => {
    const { page } = await site.open();
    await manyInstances(page, 20_000);
    await site.goTo(page, `instances`);
    await page.getByText("20000 of 20000").waitFor();
    expect(await page.getByRole("row").count()).toBeLessThan(80);
    await page.getByRole("table").focus();
    await page.keyboard.press("End");
    await page.getByText("instance19999.example.com").waitFor();
    await page.getByRole("button", { name: "Name" }).click();
    await page.keyboard.press("/");
    await page.keyboard.type("instance1234");
    await page.getByText("11 of 20000").waitFor();
    await page.getByLabel("Choose all that are shown").check();
    await page.getByText("11 chosen").waitFor();
    await shot(page, "instances-many");
  });

  test("the page notices that the server disappears and returns, and continues by itself", async () => {
    const { page } = await site.open("instances");
    await page.getByText(name).waitFor();
    await site.server.stop();
    await page.getByText("The connection to the server is lost").waitFor();
    await shot(page, "server-away");
    const events = "**/ganeti-ts/1/events";
    await page.route(events, (route) => route.abort());
    site.server = await site.server.again();
    // The page cannot have an event of this one.
    await withInstances(site.server, [{ instance_name: "web2.example.com" }] as never);
    await page.unroute(events);
    await page.getByText("The connection to the server is lost").waitFor({ state: "detached" });
    await page.getByText("web2.example.com").waitFor();
    await withInstances(site.server, [{ instance_name: "web3.example.com" }] as never);
    await page.getByText("web3.example.com").waitFor();
  });

  test("a page that stays open while the server gets another version says so and offers to reload", async () => {
    const { page } = await site.open("instances");
    await page.getByText(name).waitFor();
    const notice = page.getByText("This page is of another version than the server");
    expect(await notice.count()).toBe(0);
    await page.route("**/ganeti-ts/1/whoami", async (route) => {
      const response = await route.fetch();
      const me = (await response.json()) as object;
      await route.fulfill({ response, json: { ...me, page: "/ui/assets/index-upgraded.js" } });
    });
    await site.server.stop();
    await page.getByText("The connection to the server is lost").waitFor();
    site.server = await site.server.again();
    await notice.waitFor();
    await shot(page, "other-version");
    await page.unroute("**/ganeti-ts/1/whoami");
    await page.getByRole("button", { name: "Reload the page" }).click();
    await page.getByText(name).waitFor();
    expect(await notice.count()).toBe(0);
  });
});
