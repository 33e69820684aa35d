// Runner of the programs in examples/ with installed packages, and with a cluster for those that need one.
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { transformSync } from "esbuild";
import { root } from "./repository.js";

/** Copies the examples into `sandbox`, those in TypeScript also without their types; gives the folder. */
export function copyExamples(sandbox: string): string {
  const folder = join(sandbox, "programs");
  cpSync(join(root, "examples"), folder, { recursive: true });
  for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".ts")) continue;
    const { code } = transformSync(readFileSync(join(folder, file), "utf8"), { loader: "ts" });
    writeFileSync(join(folder, file.replace(/ts$/, "mjs")), code);
  }
  // As `npm init` writes it.
  writeFileSync(join(folder, "package.json"), '{ "name": "mine", "type": "commonjs" }\n');
  // A page needs a bundler, which no package of ours brings.
  const bundler = join(root, "tooling/checks/node_modules/esbuild");
  symlinkSync(bundler, join(sandbox, "node_modules/esbuild"));
  return folder;
}

/** A cluster of simulated nodes on a free port of this machine. */
export interface ServedCluster {
  readonly port: number;
  /** A user who may write. */
  readonly user: string;
  readonly password: string;
  stop(): Promise<void>;
}

/** Starts the server that is installed in `sandbox`, on a new cluster. */
export async function serveCluster(sandbox: string): Promise<ServedCluster> {
  const data = join(sandbox, "cluster");
  const [user, password] = ["jack", "secret"];
  mkdirSync(join(data, "rapi"), { recursive: true });
  writeFileSync(join(data, "rapi/users"), `${user} ${password} write\n`, { mode: 0o600 });
  const server = spawn(
    join(sandbox, "node_modules/.bin/ganeti-rapi"),
    ["--init=cluster.example.com", `--data-dir=${data}`, "-p", "0"],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  const ended = new Promise<void>((resolve) => server.once("exit", () => resolve()));
  const said: string[] = [];
  for await (const line of createInterface({ input: server.stderr })) {
    said.push(line);
    const url = /"url":"https:\/\/[^"]*:(\d+)/.exec(line)?.[1];
    if (url === undefined) continue;
    server.stderr.resume();
    return {
      port: Number(url),
      user,
      password,
      async stop() {
        server.kill();
        await ended;
      },
    };
  }
  throw new Error(`the server ended: ${said.join("\n")}`);
}
