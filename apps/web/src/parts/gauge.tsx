/** Bar that shows the used slots of a limit, with numbers. */

export function Gauge(props: {
  readonly title: string;
  readonly used: number;
  readonly limit: number;
  readonly note?: string;
}) {
  const { title, used, limit, note } = props;
  const text = `${used} of ${limit}`;
  const isFull = used >= limit;
  return (
    <div class="meter gauge">
      <span>{title}</span>
      <span>
        {text}
        {note && ` · ${note}`}
      </span>
      {/* biome-ignore lint/a11y/useSemanticElements: a meter element cannot be styled alike in all browsers */}
      <div
        class={`track ${isFull ? "scarce" : ""}`}
        role="meter"
        aria-label={title}
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuenow={Math.min(used, limit)}
        aria-valuetext={text}
      >
        <div style={{ width: `${limit === 0 ? 100 : Math.min(100, (100 * used) / limit)}%` }} />
      </div>
    </div>
  );
}
