/**
 * Entry point of hail's executable. A usual request, an allocation without options on a small cluster, is answered by
 * the modules that it needs; for anything else, the whole program is loaded from a bundle of its own. Evaluating all
 * of it takes longer than answering.
 */
import { answerRequest, clusterWarnings, loadCluster } from "@ganeti-ts/htools";
import { decodeMessage, encodeAnswer } from "@ganeti-ts/protocol";
import { hailDefaults } from "./hail/settings.js";
import { smallFile, stderr, stdout } from "./native-files.js";
import { print, reporting } from "./program.js";

/** Function of the executable's engine, and a bundle of the executable. */
declare const Bun: { readonly unsafe: { setJITPolicy(factor: number): void } };
declare const require: (bundle: "./complete.cjs") => unknown;

/** The larger the factor, the later functions are compiled; that of the whole program. */
const jitPolicy = 20;

const argv = process.argv.slice(2);
const text = answerQuickly(argv);
if (text === undefined) {
  Bun.unsafe.setJITPolicy(jitPolicy);
  require("./complete.cjs");
} else {
  const ports = { stdout, stderr };
  reporting("hail", ports, async () => {
    await print(text, ports);
    return 0;
  }).then((exitCode) => process.exit(exitCode));
}

/**
 * The answer to a usual request; undefined if anything is unusual: an option, a fault or inconsistency of the message, or
 * a request or a size whose modules are left out of this bundle. Nothing has been written then, and the whole program
 * starts from the beginning.
 */
function answerQuickly([file, ...further]: readonly string[]): string | undefined {
  if (file === undefined || file.startsWith("-") || further.length > 0) return undefined;
  try {
    const message = smallFile(file);
    if (message === undefined) return undefined;
    const { cluster: data, request } = decodeMessage(message);
    const { staticKvmNodeMemoryMib, ...settings } = hailDefaults();
    const cluster = loadCluster(data, { staticKvmNodeMemoryMib });
    if (clusterWarnings(cluster).length > 0) return undefined;
    const options = { ...settings, newcomerUnnumbered: true };
    return encodeAnswer(answerRequest(cluster, request, options).answer);
  } catch {
    return undefined;
  }
}
