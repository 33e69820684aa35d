// How fast this machine is at the moment. Recorded figures are from machines that differ by a factor of three, and the same
// machine differs as much with what else it does: two baselines can be compared only by what each machine was like.
//
//   node tooling/pace.js

/** Entries of the table that is read at random: 128 MiB, more than caches hold. */
const entries = 2 ** 25;
const reads = 2 ** 20;
const additions = 2 ** 25;
const rounds = 5;

/**
 * Nanoseconds of an addition that needs the result of the former one, and of a read from a random place of the memory:
 * the shortest of some rounds. Takes about a second.
 * @returns {{ additionNs: number, readNs: number }}
 */
export function pace() {
  const table = randomCycle();
  return { additionNs: shortest(added, additions), readNs: shortest(() => followed(table), reads) };
}

/** Each entry is the index of the next one to read; one cycle leads through all of them. */
function randomCycle() {
  const table = new Uint32Array(entries);
  // A linear congruential generator of full period visits every index once, in an order that no cache foresees.
  const last = entries - 1;
  for (let at = 0; at < entries; at++)
    table[at] = (Math.imul(at, 1_664_525) + 1_013_904_223) & last;
  return table;
}

/** @param {Uint32Array} table */
function followed(table) {
  let at = 0;
  for (let count = 0; count < reads; count++) at = /** @type {number} */ (table[at]);
  return at;
}

function added() {
  let sum = 0;
  for (let count = 0; count < additions; count++) sum = (sum + (sum ^ count)) | 0;
  return sum;
}

/** @param {() => number} work @param {number} count */
function shortest(work, count) {
  let best = Infinity;
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    work();
    best = Math.min(best, performance.now() - start);
  }
  return Number(((best * 1e6) / count).toPrecision(3));
}

// Bundled into a benchmark it is not the program.
if (process.argv[1]?.endsWith("pace.js")) console.log(JSON.stringify(pace()));
