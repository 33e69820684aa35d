// The page of a twin in Chromium.
import { expect, test } from "vitest";
import { writeTwinMark } from "../../src/program/twin-mark.js";
import { aServer, aSpecialServer } from "../served.js";
import { describeSite, shot } from "./chromium.js";

const mark = {
  ...{ cluster: "real.example.com", source: "/srv/config.data" },
  madeAt: "2026-11-23T06:00:00Z",
};
const aTwin = () => aSpecialServer({ prepare: async (folder) => writeTwinMark(folder, mark) });

describeSite("the header of a twin's page", aTwin, (site) => {
  test("says on each page that the cluster is a twin", async () => {
    const { page, problems } = await site.open();
    const note = page.getByRole("note");
    const words =
      "This is a twin of real.example.com, made from /srv/config.data at 2026-11-23T06:00:00Z: its nodes are simulated";
    expect(await note.textContent()).toBe(words);
    await shot(page, "twin");
    await site.goTo(page, "instances");
    await page.getByRole("heading", { name: "Instances" }).waitFor();
    expect(await note.textContent()).toBe(words);
    expect(problems).toEqual([]);
  });
});

describeSite("the header of an ordinary page", aServer, (site) => {
  test("says nothing of an ordinary cluster", async () => {
    const { page } = await site.open();
    expect(await page.getByRole("note").count()).toBe(0);
  });
});
