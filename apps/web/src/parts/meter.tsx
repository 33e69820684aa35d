/** Bar that shows the use of a node's resource, with its free amount. */
import { sizeText } from "../words.js";

/** Shares above which a resource is shown as scarce. */
export const scarceFrom = 0.9;

/** Sizes in MiB, unless `text` says otherwise. */
export function Meter(props: {
  readonly name: string;
  readonly free: number | null;
  readonly total: number | null;
  readonly text?: string;
}) {
  const { name, free, total } = props;
  if (free === null || total === null || total <= 0) {
    return (
      <div class="meter">
        <span>{name}</span> <span>unknown</span>
      </div>
    );
  }
  const used = Math.min(1, Math.max(0, 1 - free / total));
  return (
    <div class="meter">
      <span>{name}</span>
      <span>{props.text ?? `${sizeText(free)} of ${sizeText(total)} free`}</span>
      <div
        class={used >= scarceFrom ? "track scarce" : "track"}
        role="meter"
        aria-label={`${name} used`}
        aria-valuenow={Math.round(used * 100)}
        aria-valuemin={0}
        aria-valuemax={100}
      >
        <div style={{ width: `${used * 100}%` }} />
      </div>
    </div>
  );
}
