/** Chromium for the tests of the page: a session on a server, and screenshots. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import type { TestServer } from "../served.js";

const executablePath = "/usr/bin/chromium";

export const hasChromium = existsSync(executablePath);

export const openChromium = (): Promise<Browser> =>
  chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });

export interface Session {
  readonly page: Page;
  /** Errors of the page's console, without those that `expected` matches. */
  readonly problems: string[];
}

/** The overview after a login, in a context of its own. */
export async function loggedIn(
  browser: Browser,
  server: Pick<TestServer, "url">,
  user: readonly [name: string, password: string],
  options: BrowserContextOptions = {},
): Promise<Session> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, ...options });
  const page = await context.newPage();
  await page.goto(`${server.url}/ui/`);
  await page.getByLabel("User").fill(user[0]);
  await page.getByLabel("Password").fill(user[1]);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("navigation", { name: "Pages" }).waitFor();
  // With the cluster's name the page listens to keys, too.
  await page.getByRole("main").getByRole("heading", { level: 1 }).waitFor();
  const problems: string[] = [];
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(error.message));
  return { page, problems };
}

export const jack = ["jack", "abc123"] as const;
export const rita = ["rita", "look"] as const;

/** Smallest width and height (px) of a picture that can be seen. */
const pictureMin = 16;

/** Pictures of the page whose box on the screen is too small to be seen, or that did not load. */
export const unseenPictures = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`[...document.querySelectorAll("canvas, svg, img")].flatMap((picture) => {
    const { width, height } = picture.getBoundingClientRect();
    const isLoaded = picture.tagName !== "IMG" || picture.naturalWidth > 0;
    const isSeen = isLoaded && Math.min(width, height) >= ${pictureMin};
    return isSeen ? [] : [\`\${picture.outerHTML} is \${width} x \${height}\`];
  })`);

/** Saves a screenshot for review if `GANETI_TS_SCREENSHOTS` names a folder. */
export async function shot(page: Page, name: string): Promise<void> {
  const folder = process.env.GANETI_TS_SCREENSHOTS;
  if (folder !== undefined)
    await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}
