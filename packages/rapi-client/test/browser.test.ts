// The door for browsers: over fetch, and in a bundle that knows nothing of Node.
import { createContext, runInContext } from "node:vm";
import { build } from "esbuild";
import { describe, expect, test } from "vitest";
import { openRapi } from "../src/browser.js";
import { failure, json, serving } from "./fake-rapi.js";
import { aNode } from "./things.js";

describe("over fetch", () => {
  test("requests over fetch are the same as over Node's connections", async () => {
    const { url, asked } = await serving(({ method }, response) =>
      json(response, method === "GET" ? [aNode] : 12),
    );
    const rapi = openRapi({ url, user: "jäck", password: "söcret" });
    expect(await rapi.nodes.list()).toEqual([aNode]);
    expect(await rapi.instances.migrate("web1", { allow_failover: true }, { reason: "full" })).toBe(
      12,
    );
    const authorization = `Basic ${Buffer.from("jäck:söcret").toString("base64")}`;
    expect(asked).toEqual([
      { method: "GET", url: "/2/nodes?bulk=1", authorization, body: undefined },
      {
        method: "PUT",
        url: "/2/instances/web1/migrate?reason=full",
        authorization,
        body: { allow_failover: true },
        contentType: "application/json",
      },
    ]);
  });

  test("a refusal has the server's words", async () => {
    const { url } = await serving((_, response) =>
      json(response, { code: 403, message: "No &lt;way&gt;", explain: "x" }, 403),
    );
    const error = await failure(openRapi({ url }).redistributeConfig());
    expect([error.code, error.status, error.says]).toEqual(["refused", 403, "No <way>"]);
  });

  test("reading is repeated when a connection breaks, submitting is not", async () => {
    const { url, asked } = await serving((_, response) => void response.destroy());
    const rapi = openRapi({ url, retryDelayMs: 1 });
    expect((await failure(rapi.tags.list())).code).toBe("broken");
    expect(asked).toHaveLength(3);
    expect((await failure(rapi.redistributeConfig())).code).toBe("broken");
    expect(asked).toHaveLength(4);
  });

  test("what takes too long, and what the caller stops, says so", async () => {
    const { url } = await serving(() => {});
    const late = await failure(openRapi({ url, timeoutMs: 30, retriesMax: 0 }).info());
    expect([late.code, late.message]).toEqual([
      "timeout",
      `GET ${url}/2/info: no answer after 0.03 s`,
    ]);
    const controller = new AbortController();
    const stopped = failure(openRapi({ url }).info({ signal: controller.signal }));
    controller.abort();
    expect((await stopped).code).toBe("aborted");
  });

  test("a redirection is not followed: the password is for one host", async () => {
    const { url, asked } = await serving((_, response) => {
      response.writeHead(302, { location: "http://127.0.0.1:1/" }).end();
    });
    expect((await failure(openRapi({ url, retriesMax: 0 }).info())).code).toBe("broken");
    expect(asked).toHaveLength(1);
  });
});

test("a bundle for browsers has nothing of Node, and works where there is no Node", async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: [new URL("../src/browser.ts", import.meta.url).pathname],
    bundle: true,
    write: false,
    metafile: true,
    logLevel: "silent",
    platform: "browser",
    format: "iife",
    globalName: "client",
    target: "es2022",
  });
  const imported = Object.values(metafile.inputs).flatMap(({ imports }) =>
    imports.map(({ path }) => path),
  );
  expect(imported.filter((path) => path.startsWith("node:"))).toEqual([]);
  expect(imported.length).toBeGreaterThan(10);

  const { url } = await serving((_, response) => json(response, ["a", "b"]));
  // All that is taken from here is what every browser has.
  const page = createContext({
    fetch,
    URL,
    URLSearchParams,
    TextEncoder,
    TextDecoder,
    AbortController,
    AbortSignal,
    btoa,
    setTimeout,
    clearTimeout,
  });
  runInContext(outputFiles[0]?.text ?? "", page);
  const tags = runInContext(`client.openRapi({ url: ${JSON.stringify(url)} }).tags.list()`, page);
  expect(await tags).toEqual(["a", "b"]);
});
