/**
 * A line of JavaScript that every program begins with.
 *
 * V8 optimises functions that have run for a while. Where a program is over after a tenth of a second,
 * most of that work is never repaid: with a budget three times as large hail needs an eighth less time
 * for 400 nodes, and its long computations no more. Node 24 has no such setting.
 */
export const engineSettings =
  'if (process.versions.node.startsWith("20.")) process.getBuiltinModule("node:v8").setFlagsFromString("--interrupt-budget=400000");';
