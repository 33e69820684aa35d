/** Small table in a card. */
import type { ComponentChildren } from "preact";

export function Table(props: {
  readonly title: string;
  readonly heads: readonly string[];
  readonly rows: readonly (readonly ComponentChildren[])[];
  /** Shown next to the title. */
  readonly note?: ComponentChildren;
}) {
  return (
    <section class="card" aria-label={props.title}>
      <div class="heading">
        <h2>{props.title}</h2>
        {props.note}
      </div>
      {props.rows.length === 0 ? (
        <p class="small">None.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, by the keyboard too
        <section class="scrolled" tabIndex={0} aria-label={`${props.title}, table`}>
          <table>
            <thead>
              <tr>
                {props.heads.map((head) => (
                  <th scope="col">{head}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {props.rows.map((row, at) => (
                <tr key={at}>
                  {row.map((cell) => (
                    <td>{cell}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </section>
  );
}
