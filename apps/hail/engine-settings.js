/**
 * A line of JavaScript that every program begins with.
 *
 * V8 optimises functions that have run for a while, and begins with little room for new values. Where
 * a program is over after a tenth of a second, most optimising is never repaid: with a budget three
 * times as large, and room that grows by four instead of two, hail needs a sixth less time for 400
 * nodes, and long computations need no more. Node 24 has no such budget.
 */
export const engineSettings =
  'if (process.versions.node.startsWith("20.")) process.getBuiltinModule("node:v8").setFlagsFromString("--interrupt-budget=400000 --semi-space-growth-factor=4");';
