// Consoles in Chromium: noVNC's screen and the terminal, keys, and the end of a console.
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { withInstances } from "../instances.js";
import { aServer } from "../served.js";
import { describeSite, rita, shot } from "./chromium.js";

const name = "web1.example.com";

const start = async () => {
  const server = await aServer();
  await withInstances(server, [{ instance_name: name, os_type: "debian+stable" }] as never);
  return server;
};

describeSite("consoles", start, (site) => {
  const open = (page: Page, kind: string) => site.goTo(page, `instances/${name}/console/${kind}`);

  /** Number of bright pixels that the picture shows on the screen. */
  const inkOf = async (page: Page) => {
    const png = (await page.locator(".vnc canvas").screenshot()).toString("base64");
    return page.evaluate<number>(`(async () => {
      const bytes = Uint8Array.from(atob("${png}"), (letter) => letter.charCodeAt(0));
      const picture = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
      const context = new OffscreenCanvas(picture.width, picture.height).getContext("2d");
      context.drawImage(picture, 0, 0);
      const { data } = context.getImageData(0, 0, picture.width, picture.height);
      return data.filter((value, at) => at % 4 === 1 && value > 200).length;
    })()`);
  };

  test("noVNC shows the machine's screen, and keys change it", async () => {
    const { page, problems } = await site.open(`instances/${name}`);
    await page.getByRole("link", { name: "Console" }).click();
    await expect.poll(() => inkOf(page)).toBeGreaterThan(500);
    const before = await inkOf(page);
    await page.keyboard.type("kim");
    await page.keyboard.press("Enter");
    await expect.poll(() => inkOf(page)).toBeGreaterThan(before + 500);
    await shot(page, "console-vnc");
    await page.keyboard.press("Control+Alt+o");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Leave");
    expect(problems).toEqual([]);
  });

  test("the terminal answers typed and pasted text, and the page's shortcuts are disabled meanwhile", async () => {
    const { page, problems } = await site.open();
    await open(page, "serial");
    const screen = page.getByRole("log", { name: "Serial console" });
    await screen.getByText("login:").waitFor();
    await page.keyboard.type("gi");
    await page.keyboard.press("Enter");
    await screen.getByText("gi@web1").first().waitFor();
    await page.keyboard.insertText("echo pasted? yes");
    await page.keyboard.press("Enter");
    await screen.getByText("pasted? yes", { exact: false }).nth(1).waitFor();
    await shot(page, "console-serial");
    expect(page.url()).toContain("/console/serial");
    expect(problems).toEqual([]);
  });

  test("output of an instance is text, whatever it contains", async () => {
    const { page } = await site.open();
    await open(page, "serial");
    const screen = page.getByRole("log", { name: "Serial console" });
    await screen.getByText("login:").waitFor();
    await page.keyboard.insertText("kim\recho <img src=x onerror=alert(1)><b>no</b>\r");
    await screen.getByText("<b>no</b>", { exact: false }).first().waitFor();
    expect(await screen.locator("img, b").count()).toBe(0);
  });

  test("a console that cannot be opened shows the reason, and another one opens on the same page", async () => {
    const { page } = await site.open();
    await open(page, "serial");
    const screen = page.getByRole("log", { name: "Serial console" });
    await screen.getByText("login:").waitFor();
    await site.goTo(page, `instances/none.example.com/console`);
    await page.getByText("There is no instance none.example.com").waitFor();
    await page.getByText("not connected").waitFor();
    await open(page, "serial");
    await screen.getByText("login:").waitFor();
    await page.keyboard.type("kim");
    await screen.getByText("login: kim").waitFor();
    await page.getByRole("button", { name: "Connect again" }).click();
    await screen.getByText("login: kim").waitFor({ state: "detached" });
    await screen.getByText("login:").waitFor();
  });

  test("a user who may only read has no console, and sees the reason", async () => {
    const { page } = await site.open("overview", rita);
    await open(page, "serial");
    await page.getByRole("alert").filter({ hasText: "option write" }).waitFor();
    const again = page.getByRole("button", { name: "Connect again" });
    expect(await again.getAttribute("aria-disabled")).toBe("true");
  });
});
