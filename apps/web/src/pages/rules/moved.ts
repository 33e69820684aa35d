/** Priorities that move a rule to another place among the rules. */

interface Placed {
  readonly uuid: string;
  readonly priority: number;
}

/** Distance between new priorities, which leaves space for later moves. */
export const step = 10;

/**
 * The rules to store, in that order, so that the rule at `from` moves to `to`; as few as possible, because each stored
 * rule gets a new watermark. No step changes the order of other rules: those that follow are raised first, beginning with
 * the last.
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
