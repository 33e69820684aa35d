/** Tests of the page in Chromium: a server, sessions on it, and screenshots. */
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from "playwright-core";
import { afterAll, afterEach, beforeAll, describe } from "vitest";

const executablePath = "/usr/bin/chromium";

export const jack = ["jack", "abc123"] as const;
export const rita = ["rita", "look"] as const;

export interface Session {
  readonly page: Page;
  /** Errors of the page's console since the login. */
  readonly problems: string[];
}

/** A server with the page, and a browser whose windows close at the end of each test. */
export class Site<Server extends { readonly url: string }> {
  server!: Server;
  browser!: Browser;
  #contexts: BrowserContext[] = [];

  async newPage(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.browser.newContext({ ignoreHTTPSErrors: true, ...options });
    this.#contexts.push(context);
    return context.newPage();
  }

  /** A page of the site, the overview by default, in a window of its own after a login. */
  async open(path?: string, user: readonly string[] = jack, options = {}): Promise<Session> {
    const session = await this.logIn(await this.newPage(options), user);
    if (path !== undefined) await this.goTo(session.page, path);
    return session;
  }

  async logIn(page: Page, [name = "", password = ""]: readonly string[] = jack): Promise<Session> {
    await page.goto(`${this.server.url}/ui/`);
    await page.getByLabel("User").fill(name);
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Log in" }).click();
    await page.getByRole("navigation", { name: "Pages" }).waitFor();
    // With the cluster's name the page listens to keys, too.
    await page.getByRole("main").getByRole("heading", { level: 1 }).waitFor();
    const problems: string[] = [];
    page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
    page.on("pageerror", (error) => problems.push(error.message));
    return { page, problems };
  }

  async goTo(page: Page, path: string): Promise<void> {
    await page.goto(`${this.server.url}/ui/#/${path}`);
  }

  async closeWindows(): Promise<void> {
    for (const context of this.#contexts.splice(0)) {
      // Requests that a test has caught may be under way still.
      for (const page of context.pages()) await page.unrouteAll({ behavior: "ignoreErrors" });
      await context.close();
    }
  }
}

/** Tests of the page on a server that `start` starts; they are skipped where Chromium is not installed. */
export function describeSite<Server extends { readonly url: string; end(): Promise<void> }>(
  title: string,
  start: () => Promise<Server>,
  tests: (site: Site<Server>) => void,
): void {
  describe.skipIf(!existsSync(executablePath))(`${title}, in chromium`, () => {
    const site = new Site<Server>();
    beforeAll(async () => {
      site.server = await start();
      site.browser = await chromium.launch({
        ...{ executablePath, args: ["--no-sandbox", "--disable-gpu"] },
      });
    });
    afterEach(() => site.closeWindows());
    afterAll(async () => {
      await site.browser?.close();
      await site.server?.end();
    });
    tests(site);
  });
}

/** Presses a button, and answers its question. */
export async function act(page: Page, name: string, typed?: string): Promise<void> {
  await page.getByRole("button", { name, exact: true }).click();
  if (typed !== undefined) await page.getByRole("dialog").getByRole("textbox").fill(typed);
  await page.getByRole("dialog").getByRole("button", { name, exact: true }).click();
}

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

/** A port that is free now, for a server that is started again on it. */
export const freePort = () =>
  new Promise<number>((resolve) => {
    const probe = createServer();
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
