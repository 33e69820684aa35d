import { expect, test } from "vitest";
import { aServer } from "../served.js";
import { describeSite, rita, shot } from "./chromium.js";

const start = () => aServer();

describeSite("the page that creates instances", start, (site) => {
  test("hail answers while the user types, with a placement, or with what does not fit and changes that would help", async () => {
    const { page, problems } = await site.open();
    await page.keyboard.press("g");
    await page.keyboard.press("c");
    const answer = page.getByRole("region", { name: "Answer of hail" });
    await answer.getByText("primary", { exact: true }).waitFor();
    await answer.getByText("such instances fit now").waitFor();
    await page.getByLabel("Memory").fill("99g");
    await answer.getByText("It does not fit").waitFor();
    await answer.getByText("× FailMem").waitFor();
    await shot(page, "create-refused");
    await answer.getByRole("button", { name: "Apply" }).click();
    await answer.getByText("primary", { exact: true }).waitFor();
    expect(await page.getByLabel("Memory").inputValue()).not.toBe("99g");
    await page.getByLabel("Memory").fill("a lot");
    await page.getByText("Give a size such as").first().waitFor();
    expect(problems).toEqual([]);
  });

  test("an instance is created from the form in the URL, on the nodes that hail announced", async () => {
    const { page, problems } = await site.open(
      "create?name=new1.example.com&memory=512m&os=noop%2Bdefault",
    );
    const answer = page.getByRole("region", { name: "Answer of hail" });
    const chip = answer.getByRole("listitem").filter({ hasText: "primary" });
    const node = await chip.getAttribute("title");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("link", { name: "Go to new1.example.com" }).click();
    await page.getByRole("heading", { name: "new1.example.com" }).waitFor();
    await page.getByText(String(node)).first().waitFor();
    const { data } = await site.server.world.objects.query(
      "instance",
      ["be/memory", "pnode"],
      ["==", "name", "new1.example.com"],
    );
    expect(data[0]?.map(([, value]) => value)).toEqual([512, node]);
    expect(problems).toEqual([]);
  });

  test("resources are reserved without an instance, and a name in use is refused in words", async () => {
    const { page } = await site.open("create?name=later.example.com&reserve=yes");
    await page.getByRole("button", { name: "Reserve" }).click();
    await page.getByRole("link", { name: "Go to later.example.com" }).waitFor();
    await page.getByRole("button", { name: "Reserve" }).click();
    await page.getByText(/failed: .*later\.example\.com.* is already in the cluster/).waitFor();
    const fields = ["status"];
    const filter = ["==", "name", "later.example.com"];
    const { data } = await site.server.world.objects.query("instance", fields, filter);
    expect(data.length).toBe(1);
  });

  test("a reader gets hail's answer, and the reason why creation is disabled", async () => {
    const { page } = await site.open("create?name=new2.example.com", rita);
    await page.getByText("such instances fit now").waitFor();
    const create = page.getByRole("button", { name: "Create" });
    expect(await create.getAttribute("aria-disabled")).toBe("true");
    expect(await create.getAttribute("title")).toContain("option write");
    await create.click({ force: true });
    expect(site.server.cluster.snapshot().find("instance", "new2.example.com")).toBe(undefined);
  });
});
