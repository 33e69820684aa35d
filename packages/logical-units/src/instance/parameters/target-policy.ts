/** Policy check of an instance against the group of a new node. */

import { groupOf, policyViolations } from "@ganeti-ts/config";
import type { InstanceObject, NodeUuid } from "@ganeti-ts/protocol";
import { warn } from "../../unit/effects.js";
import { wrongInput } from "../../unit/refusals.js";
import type { UnitContext } from "../../unit/unit.js";

/**
 * The instance's own group needs no check. @throws PrereqError `wrong_input` unless violations are
 * ignored
 */
export function checkTargetPolicy(
  context: UnitContext,
  instance: InstanceObject,
  target: NodeUuid,
  ignore: boolean,
): void {
  const { now } = context;
  const group = groupOf(now, target);
  if (group === undefined || group.uuid === groupOf(now, instance.primary_node)?.uuid) return;
  const violations = policyViolations(now, instance, group);
  if (violations.length === 0) return;
  const text =
    `Instance does not meet target node group's (${group.name}) instance policy:` +
    ` ${violations.join(", ")}`;
  if (!ignore) wrongInput(text);
  warn(context, text);
}
