// Runs every `bench/*.bench.ts` with the options given; `--file=TEXT` only those whose name has it.
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { build } from "esbuild";

const words = process.argv.slice(2);
const isFile = (word) => word.startsWith("--file=");
const wanted = words.find(isFile)?.slice("--file=".length) ?? "";

for (const file of readdirSync("bench").filter((name) => name.endsWith(".bench.ts"))) {
  if (!file.includes(wanted)) continue;
  const outfile = `bench/dist/${file.replace(/ts$/, "mjs")}`;
  await build({
    entryPoints: [`bench/${file}`],
    bundle: true,
    platform: "node",
    format: "esm",
    outfile,
    logLevel: "error",
  });
  const options = words.filter((word) => !isFile(word));
  execFileSync(process.execPath, [outfile, ...options], { stdio: "inherit" });
}
