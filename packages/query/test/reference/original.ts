/** The parser of the original, where its package is installed. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

const library = "/usr/share/ganeti/3.0";
const program = `
import json, sys
sys.path.insert(0, ${JSON.stringify(library)})
from ganeti import errors, qlang
parser = qlang.BuildFilterParser()
for line in sys.stdin:
  try:
    answer = qlang.ParseFilter(json.loads(line), parser=parser)
  except errors.QueryFilterParseError:
    answer = "refused"
  print(json.dumps(answer))
`;

/** `/usr/bin/python3` with Ganeti's library and pyparsing. */
export const originalInstalled =
  existsSync(`${library}/ganeti/qlang.py`) &&
  spawnSync("/usr/bin/python3", ["-c", "import pyparsing"]).status === 0;

/** The JSON form of each text, or `"refused"`. */
export function parsedByOriginal(texts: readonly string[]): unknown[] {
  const input = texts.map((text) => JSON.stringify(text)).join("\n");
  const { stdout, stderr, status } = spawnSync("/usr/bin/python3", ["-c", program], {
    input,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`the original's parser failed: ${stderr}`);
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}
