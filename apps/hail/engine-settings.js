/**
 * First line of a program, which sets flags of V8; only for Node 20, since Node 24 does not have them.
 *
 * V8 optimises functions after a while. hail ends after a tenth of a second, before most optimisation pays
 * off: with a budget six times as large it takes the same time, and two thirds of the processor time. The
 * other programs run longer, and save time if the space for new objects grows by four instead of two.
 * hbal and hspace, which mostly take less than a second, are optimised sooner if less is inlined into each
 * function; programs that run for seconds would lose by that.
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
