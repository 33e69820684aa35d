/** Priorities that move a rule to another place among the rules. */

interface Placed {
  readonly uuid: string;
  readonly priority: number;
}

/** Distance between new priorities, so that later moves find room. */
export const step = 10;

/**
 * The rules to store, in the order in which to store them, so that the rule at `from` comes to stand at `to`; as few as
 * possible, because each of them gets a new watermark. Rules never pass others on the way: those behind are raised first,
 * from the last.
 */
export function moved<One extends Placed>(
  rules: readonly One[],
  from: number,
  to: number,
): readonly One[] {
  const rule = rules[from];
  if (rule === undefined || from === to) return [];
  const order = rules.toSpliced(from, 1).toSpliced(to, 0, rule);
  const low = order[to - 1]?.priority ?? -1;
  const high = order[to + 1]?.priority;
  if (high === undefined) return [{ ...rule, priority: low + step }];
  if (high - low >= 2) return [{ ...rule, priority: low + Math.floor((high - low) / 2) }];
  const raised = [{ ...rule, priority: low + step }];
  for (const next of order.slice(to + 1)) {
    const before = (raised.at(-1) as Placed).priority;
    if (next.priority > before) break;
    raised.push({ ...next, priority: before + step });
  }
  return raised.toReversed();
}
