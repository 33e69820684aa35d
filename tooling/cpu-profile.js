// Reads a CPU profile (`node --cpu-prof`) and shows where the time went.
//
//   node tooling/cpu-profile.js FILE.cpuprofile [--top=30] [--svg=FILE.svg] [--min=0.2]
//
// Prints the time of packages and of functions: `self` in their own code, `total` with everything that they call, each
// stack counted once. `--svg` writes a flame graph: width is time, what a function calls stands on it, frames below
// `--min` percent of all time are left out. Bundles are seen through the source maps beside them or inside them.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { helpIfAsked } from "./bench.js";

/**
 * @typedef {{ functionName: string, url: string, lineNumber: number, columnNumber: number }} CallFrame
 * @typedef {{ id: number, callFrame: CallFrame, children?: number[] }} ProfileNode
 * @typedef {{ nodes: ProfileNode[], samples: number[], timeDeltas: number[] }} Profile
 * @typedef {{ name: string, area: string, where: string }} Place
 * @typedef {Place & { selfMicros: number, totalMicros: number, children: Frame[] }} Frame
 * @typedef {{ name: string, self: number, total: number }} Share
 */

/**
 * The tree of calls, with the time of each frame; calls of the same function by the same stack are one frame.
 * @param {Profile} profile
 * @param {(frame: CallFrame) => Place} named
 * @returns {Frame}
 */
export function framesOf({ nodes, samples, timeDeltas }, named) {
  /** @type {Map<number, number>} */
  const selfMicros = new Map();
  for (const [at, id] of samples.entries()) {
    // A sample lasts until the next one.
    selfMicros.set(id, (selfMicros.get(id) ?? 0) + Math.max(0, timeDeltas[at + 1] ?? 0));
  }
  const byId = new Map(nodes.map((node) => [node.id, node]));
  /** @type {(ids: readonly number[]) => Frame[]} */
  const merged = (ids) => {
    /** @type {Map<string, { place: Place, selfMicros: number, children: number[] }>} */
    const frames = new Map();
    for (const id of ids) {
      const node = /** @type {ProfileNode} */ (byId.get(id));
      const place = named(node.callFrame);
      const key = `${place.area} ${place.name} ${place.where}`;
      const known = frames.get(key) ?? { place, selfMicros: 0, children: [] };
      known.selfMicros += selfMicros.get(id) ?? 0;
      known.children.push(...(node.children ?? []));
      frames.set(key, known);
    }
    return Array.from(frames.values(), (frame) => {
      const children = merged(frame.children);
      const inside = children.reduce((sum, { totalMicros }) => sum + totalMicros, 0);
      const own = frame.selfMicros;
      return { ...frame.place, selfMicros: own, totalMicros: own + inside, children };
    });
  };
  const root = /** @type {ProfileNode} */ (nodes[0]);
  return /** @type {Frame} */ (merged([root.id])[0]);
}

/**
 * Time by name, most own time first; the total of a name counts each stack once.
 * @param {Frame} root
 * @param {(frame: Frame) => string} nameOf
 * @returns {Share[]}
 */
export function sharesOf(root, nameOf) {
  /** @type {Map<string, Share>} */
  const shares = new Map();
  /** @type {Set<string>} */
  const above = new Set();
  /** @type {(frame: Frame) => void} */
  const visit = (frame) => {
    const name = nameOf(frame);
    const share = shares.get(name) ?? { name, self: 0, total: 0 };
    shares.set(name, share);
    share.self += frame.selfMicros;
    const isInner = above.has(name);
    if (!isInner) share.total += frame.totalMicros;
    above.add(name);
    for (const child of frame.children) visit(child);
    if (!isInner) above.delete(name);
  };
  visit(root);
  return [...shares.values()].sort((a, b) => b.self - a.self);
}

const rowHeight = 16;
const width = 1600;

/**
 * Flame graph as SVG: the root at the bottom; each frame has its share as a tooltip.
 * @param {Frame} root
 * @param {number} minPercent
 */
export function flameGraph(root, minPercent) {
  const all = root.totalMicros;
  /** @type {string[]} */
  const boxes = [];
  let depthMax = 0;
  /** @type {(frame: Frame, left: number, depth: number) => void} */
  const draw = (frame, left, depth) => {
    if ((100 * frame.totalMicros) / all < minPercent) return;
    depthMax = Math.max(depthMax, depth);
    boxes.push(boxOf(frame, { left, depth, all }));
    let at = left;
    const children = [...frame.children].sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const child of children) {
      draw(child, at, depth + 1);
      at += child.totalMicros;
    }
  };
  draw(root, 0, 0);
  const height = (depthMax + 1) * rowHeight;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 ${-height} ${width} ${height}" width="${width}" height="${height}" font-family="monospace" font-size="11">`,
    ...boxes,
    "</svg>\n",
  ].join("\n");
}

/**
 * @param {Frame} frame
 * @param {{ left: number, depth: number, all: number }} place
 */
function boxOf({ name, area, where, totalMicros: micros }, { left, depth, all }) {
  const x = (width * left) / all;
  const w = (width * micros) / all;
  const y = -(depth + 1) * rowHeight;
  const title = `${name} (${where || area}): ${((100 * micros) / all).toFixed(2)} %, ${(micros / 1000).toFixed(0)} ms`;
  const shown = w < 30 ? "" : name.slice(0, Math.floor(w / 6.7));
  const box = `<rect x="${x.toFixed(1)}" y="${y}" width="${w.toFixed(1)}" height="${rowHeight - 1}" fill="${colourOf(area)}"/>`;
  const label = shown && `<text x="${(x + 2).toFixed(1)}" y="${y + 12}">${escaped(shown)}</text>`;
  return `<g><title>${escaped(title)}</title>${box}${label}</g>`;
}

/** The same for all frames of an area. @param {string} area */
function colourOf(area) {
  let sum = 0;
  for (const letter of area) sum = (sum * 31 + letter.charCodeAt(0)) % 360;
  return `hsl(${sum},65%,72%)`;
}

/** @param {string} text */
const escaped = (text) => text.replace(/[<>&"]/g, (letter) => `&#${letter.charCodeAt(0)};`);

/** Names frames by their place in the sources. */
export function frameNames() {
  /** @type {Map<string, SourceMap | undefined>} */
  const maps = new Map();
  /** @param {CallFrame} frame */
  return ({ functionName, url, lineNumber, columnNumber }) => {
    const name = functionName || "(anonymous)";
    if (!url.startsWith("file:")) {
      return { name, area: areaOf(url, name), where: url && `${url}:${lineNumber + 1}` };
    }
    const path = fileURLToPath(url);
    if (!maps.has(path)) maps.set(path, sourceMapOf(path));
    const entry = maps.get(path)?.findEntry(lineNumber, columnNumber);
    const isFound = entry !== undefined && "originalSource" in entry;
    const source = isFound ? normalize(join(dirname(path), entry.originalSource)) : path;
    const line = isFound ? entry.originalLine : lineNumber;
    return { name, area: areaOf(source, name), where: `${shortPath(source)}:${line + 1}` };
  };
}

/** @param {string} path */
function sourceMapOf(path) {
  const code = readFileSync(path, "utf8");
  const found = /\/\/# sourceMappingURL=(\S+)\s*$/.exec(code)?.[1];
  if (found === undefined) return undefined;
  const inline = /^data:.*?;base64,(.*)$/.exec(found)?.[1];
  const file = join(dirname(path), found);
  if (inline === undefined && !existsSync(file)) return undefined;
  const text = inline ? Buffer.from(inline, "base64").toString() : readFileSync(file, "utf8");
  return new SourceMap(JSON.parse(text));
}

/** Package of a file, `node`, or the engine's own work: `(garbage collector)`. @param {string} path @param {string} name */
function areaOf(path, name) {
  const inStore = /node_modules\/((?:@[^/]+\/)?[^/]+)(?!.*node_modules\/)/.exec(path)?.[1];
  if (inStore !== undefined) return inStore;
  const own = /(?:packages|apps)\/([^/]+)\/(\w+)?/.exec(path);
  if (own !== null)
    return own[2] === "src" || own[2] === "dist" ? `${own[1]}` : `${own[1]} ${own[2]}`;
  return name.startsWith("(") ? name : "node";
}

/** @param {string} path */
const shortPath = (path) => /(?:packages|apps|node_modules)\/.*$/.exec(path)?.[0] ?? path;

/** @param {Share[]} shares @param {number} all @param {number} count */
function printed(shares, all, count) {
  /** @param {number} micros */
  const cell = (micros) => `${((100 * micros) / all).toFixed(1).padStart(6)} %`;
  return shares
    .slice(0, count)
    .map(({ name, self, total }) => `${cell(self)} ${cell(total)}  ${name}`)
    .join("\n");
}

function main() {
  helpIfAsked(new URL(import.meta.url));
  const text = /** @type {const} */ ({ type: "string" });
  const { values, positionals } = parseArgs({
    options: { top: { ...text, default: "30" }, svg: text, min: { ...text, default: "0.2" } },
    allowPositionals: true,
  });
  const [file] = positionals;
  if (file === undefined) throw new Error("which profile? --help shows the command line");
  const root = framesOf(JSON.parse(readFileSync(file, "utf8")), frameNames());
  const idle = root.children.filter(({ name }) => name === "(idle)");
  const all = root.totalMicros - (idle[0]?.totalMicros ?? 0);
  const children = root.children.filter((child) => !idle.includes(child));
  const busy = { ...root, totalMicros: all, children };
  console.log(`${(all / 1e6).toFixed(1)} s\n\n  self    total   package`);
  console.log(
    printed(
      sharesOf(busy, ({ area }) => area),
      all,
      100,
    ),
  );
  console.log("\n  self    total   function");
  const functions = sharesOf(busy, ({ name, area, where }) => `${name} (${where || area})`);
  console.log(printed(functions, all, Number(values.top)));
  if (values.svg !== undefined) writeFileSync(values.svg, flameGraph(busy, Number(values.min)));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) main();
