/** Bar of the progress of something. */
export const Track = (props: {
  readonly title: string;
  readonly done: number;
  readonly all: number;
}) => (
  <div
    class="track"
    role="progressbar"
    aria-label={props.title}
    aria-valuenow={Math.round(props.done)}
    aria-valuemin={0}
    aria-valuemax={props.all}
  >
    <div style={{ width: `${(props.done / props.all) * 100}%` }} />
  </div>
);
