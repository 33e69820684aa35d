import { spawnSync } from "node:child_process";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Hono } from "hono";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listenOnSocket } from "./listen.js";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), "listen-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A socket without a listener, as a killed server leaves it. */
function leftSocket(): string {
  const path = join(folder, "left.sock");
  const listen = "require('net').createServer().listen(process.argv[1],";
  const die = "() => process.kill(process.pid, 'SIGKILL'))";
  spawnSync(process.execPath, ["-e", `${listen} ${die}`, path]);
  expect(lstatSync(path, { bigint: true }).isSocket()).toBe(true);
  return path;
}

/** Modules in two folders, each of which `require` finds by a symbolic link, as pnpm installs packages. */
function linkedModules(): string {
  for (const name of ["first", "second"]) {
    mkdirSync(join(folder, "real", name), { recursive: true });
    writeFileSync(join(folder, "real", name, "index.js"), "");
    mkdirSync(join(folder, "node_modules"), { recursive: true });
    symlinkSync(join(folder, "real", name), join(folder, "node_modules", name));
  }
  return join(folder, "program.js");
}

test("modules behind symbolic links are found after the socket of a killed server is replaced", async () => {
  const { resolve } = createRequire(linkedModules());
  const path = leftSocket();
  resolve("first");
  const listening = await listenOnSocket(new Hono(), path);
  try {
    expect(resolve("second")).toBe(join(folder, "real", "second", "index.js"));
  } finally {
    await listening.close(0);
  }
});
