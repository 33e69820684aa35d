import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { httpGet } from "./http-get.js";

let server: Server;
let base: string;
beforeAll(async () => {
  server = createServer((request, response) => {
    switch (request.url) {
      case "/good":
        return response.end("été");
      case "/bad":
        return response.writeHead(500).end("text");
      case "/cut":
        response.writeHead(200, { "content-length": 10 }).write("half");
        return setTimeout(() => response.destroy(), 10);
      case "/endless": {
        const chunk = Buffer.alloc(1 << 20);
        const more = () => {
          while (!response.destroyed && response.write(chunk));
        };
        response.on("drain", more);
        return more();
      }
      default: // never answers
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

test("httpGet returns the body of a good answer", async () => {
  expect(await httpGet(`${base}/good`)).toBe("été");
});

test.each(["/bad", "/cut", "/endless", "/silent"])(
  "httpGet returns undefined for %s",
  async (path) => {
    expect(await httpGet(base + path, 500)).toBeUndefined();
  },
);

test.each(["http://127.0.0.1:1/", "http://no such name:1815/", "http://does-not-exist.invalid/"])(
  "httpGet returns undefined for %s",
  async (url) => {
    expect(await httpGet(url, 5000)).toBeUndefined();
  },
);
