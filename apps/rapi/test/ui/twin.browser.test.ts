// The page of a twin in Chromium.

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeTwinMark } from "../../src/program/twin-mark.js";
import { aServer, aSpecialServer, type TestServer } from "../served.js";
import { hasChromium, jack, loggedIn, openChromium, shot } from "./chromium.js";

describe.skipIf(!hasChromium)("the header of the page", () => {
  let twin: TestServer;
  let ordinary: TestServer;
  let browser: Browser;
  beforeAll(async () => {
    const mark = {
      ...{ cluster: "real.example.com", source: "/srv/config.data" },
      madeAt: "2026-11-23T06:00:00Z",
    };
    twin = await aSpecialServer({ prepare: async (folder) => writeTwinMark(folder, mark) });
    ordinary = await aServer();
    browser = await openChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await twin?.end();
    await ordinary?.end();
  });

  test("says on each page that the cluster is a twin", async () => {
    const { page, problems } = await loggedIn(browser, twin, jack);
    const note = page.getByRole("note");
    const words =
      "This is a twin of real.example.com, made from /srv/config.data at 2026-11-23T06:00:00Z: its nodes are simulated";
    expect(await note.textContent()).toBe(words);
    await shot(page, "twin");
    await page.goto(`${twin.url}/ui/#/instances`);
    await page.getByRole("heading", { name: "Instances" }).waitFor();
    expect(await note.textContent()).toBe(words);
    expect(problems).toEqual([]);
  });

  test("says nothing of an ordinary cluster", async () => {
    const { page } = await loggedIn(browser, ordinary, jack);
    expect(await page.getByRole("note").count()).toBe(0);
  });
});
