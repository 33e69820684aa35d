/** Filter rules of the queue: added, replaced and deleted directly, not through a job. */
import { storedRule } from "@ganeti-ts/job-filter";
import type { Random } from "@ganeti-ts/protocol";
import { type FilterRuleBody, FilterUuid, type JobId, nanosecondsOf } from "@ganeti-ts/protocol";
import { QueueError } from "../queue-error.js";
import type { Command } from "../steps/engine.js";

/** The watermark is the last id in use in the step that stores the rule. */
export const ruleCommand = (uuid: FilterUuid, body: FilterRuleBody): Command<FilterUuid> => ({
  apply(step) {
    const watermark = step.image.serial as JobId;
    step.setRule(storedRule(body, { uuid, watermark, now: nanosecondsOf(step.now) }));
    return uuid;
  },
});

export const removeRuleCommand = (uuid: FilterUuid): Command<void> => ({
  apply(step) {
    if (!step.image.rules.some((rule) => rule.uuid === uuid)) {
      throw new QueueError("unknown_rule", `Filter rule with UUID ${uuid} does not exist`);
    }
    step.removeRule(uuid);
  },
});

/** Random, version 4. */
export function newUuid(random: Random): FilterUuid {
  const digits = Array.from({ length: 32 }, () => Math.floor(random.fraction() * 16).toString(16));
  digits[12] = "4";
  digits[16] = "89ab"[Math.floor(random.fraction() * 4)] as string;
  const parts = [
    digits.slice(0, 8),
    digits.slice(8, 12),
    digits.slice(12, 16),
    digits.slice(16, 20),
    digits.slice(20),
  ];
  return FilterUuid.parse(parts.map((part) => part.join("")).join("-"));
}
