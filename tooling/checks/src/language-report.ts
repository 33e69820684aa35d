// Prints the figure of every package, or with folders as arguments the hits in them.
import { languageFigure, languageHits } from "./language.js";
import { trackedFiles } from "./repository.js";

const folders = process.argv.slice(2);
const files = trackedFiles(process.cwd());
const packages = [...new Set(files.map(({ path }) => path.split("/").slice(0, 2).join("/")))];

for (const folder of folders) {
  for (const { pattern, prose } of languageHits(
    files.filter(({ path }) => path === folder || path.startsWith(`${folder}/`)),
  ))
    console.log(`${prose.path}:${prose.line}: ${pattern}: ${prose.text}`);
}
for (const folder of packages) {
  const isAsked = folders.length === 0 || folders.includes(folder);
  if (!isAsked || !/^(?:packages|apps|tooling)\//.test(folder)) continue;
  const { hits, lines, perThousandLines } = languageFigure(files, folder);
  if (lines > 0)
    console.log(
      `${folder.padEnd(28)}${String(hits).padStart(6)} hits${perThousandLines.toFixed(1).padStart(8)} per 1 000 of ${lines} lines`,
    );
}
