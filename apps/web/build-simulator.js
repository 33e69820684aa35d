// Builds dist/simulator.html: one file without further requests, which also opens from a folder. Pages from files may
// neither load module scripts nor workers, so the script is a classic one and contains the worker's text.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const folder = import.meta.dirname;
const source = (name) => join(folder, "src", name);

/** A bundle for browsers as text; no file is written. */
async function bundled(entryPoint, plugins = []) {
  const { outputFiles } = await build({
    entryPoints: [source(entryPoint)],
    bundle: true,
    write: false,
    minify: true,
    format: "iife",
    target: "es2022",
    charset: "utf8",
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
    plugins,
  });
  return outputFiles[0].text;
}

const worker = await bundled("simulator/worker.ts");
const workerAsText = {
  name: "worker-as-text",
  setup(context) {
    context.onResolve({ filter: /^virtual:worker$/ }, ({ path }) => ({
      path,
      namespace: "worker",
    }));
    context.onLoad({ filter: /.*/, namespace: "worker" }, () => ({
      contents: worker,
      loader: "text",
    }));
  },
};
const script = await bundled("simulator/main.tsx", [workerAsText]);
const styles = await Promise.all(
  ["styles/page.css", "simulator/simulator.css"].map((name) => bundled(name)),
);
const icon = readFileSync(join(folder, "public/icon.svg")).toString("base64");

// In a script element only `</script` and `<!--` have a meaning; within JavaScript texts, `\x3c` is the same as `<`.
const inline = script.replaceAll(/<(?=\/script|!--)/gi, "\\x3c");
const html = `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>Placement simulator</title>
    <link rel="icon" type="image/svg+xml" href="data:image/svg+xml;base64,${icon}" />
    <style>${styles.join("")}</style>
  </head>
  <body>
    <div id="page"></div>
    <noscript>The simulator needs JavaScript. hbal, hspace and hail compute the same on a command line.</noscript>
    <script>${inline}</script>
  </body>
</html>
`;
mkdirSync(join(folder, "dist"), { recursive: true });
writeFileSync(join(folder, "dist/simulator.html"), html);
