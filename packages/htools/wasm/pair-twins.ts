/** Twins: options of equal measures, of which only the last is examined with all partners. */
import { setValue, value } from "./columns";
import { components } from "./components";
import { number } from "./numbers";
import { pairsWith, twinTable, twinTableSize } from "./pair-layout";

/**
 * Writes for each option the last one with the same measures, which is itself if there is no later one. Options
 * that are left out, if there is a column that says so, are their own.
 */
export function findTwins(
  measures: usize,
  options: i32,
  twins: usize,
  included: usize,
  withPairs: bool,
): void {
  for (let i = 0; i < twinTableSize; i++) setValue(twinTable, i, 0);
  const mask = twinTableSize - 1;
  for (let option = options - 1; option >= 0; option--) {
    setValue(twins, option, option);
    if (included !== 0 && value(included, option) === 0) continue;
    let place = hashOf(measures, option) & mask;
    for (; ; place = (place + 1) & mask) {
      const other = value(twinTable, place) - 1;
      if (other < 0) {
        setValue(twinTable, place, option + 1);
        break;
      }
      if (areEqual(measures, option, other) && (!withPairs || samePairs(option, other))) {
        setValue(twins, option, other);
        break;
      }
    }
  }
}

function hashOf(measures: usize, option: i32): i32 {
  let hash: u64 = 0x9e3779b9;
  const begin = measures + <usize>(16 * components * option);
  for (let i = 0; i < 2 * components; i++) {
    hash = (hash ^ load<u64>(begin + <usize>(8 * i))) * 0x100000001b3;
    hash ^= hash >> 29;
  }
  return <i32>(hash ^ (hash >> 32));
}

/** Compares bits, so that NaN equals itself. */
function areEqual(measures: usize, a: i32, b: i32): bool {
  const ofA = measures + <usize>(16 * components * a);
  const ofB = measures + <usize>(16 * components * b);
  for (let i = 0; i < 2 * components; i++) {
    if (load<u64>(ofA + <usize>(8 * i)) !== load<u64>(ofB + <usize>(8 * i))) return false;
  }
  return true;
}

function samePairs(a: i32, b: i32): bool {
  return number(pairsWith, a) === number(pairsWith, b);
}
