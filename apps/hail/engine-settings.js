/**
 * A line of JavaScript that a program begins with; Node 24 would not know the settings.
 *
 * V8 optimises functions that have run for a while. hail is over after a tenth of a second, when most
 * optimising is not repaid: with a budget six times as large it needs no longer, and two thirds of the
 * processor's time. The others compute for longer, and save time with room for new values that grows
 * by four instead of two. hbal and hspace, mostly of less than a second, are optimised sooner where
 * less is drawn into each function; what takes seconds would lose by that.
 */
export const engineSettings = (program) =>
  `if (process.versions.node.startsWith("20.")) load("node:v8").setFlagsFromString("${flags(program)}");`;

function flags(program) {
  switch (program) {
    case "hail":
      return "--interrupt-budget=400000";
    case "hbal":
    case "hspace":
      return "--semi-space-growth-factor=4 --max-inlined-bytecode-size-cumulative=300";
    default:
      return "--semi-space-growth-factor=4";
  }
}
