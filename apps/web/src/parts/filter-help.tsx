/** Summary of Ganeti's filter syntax, with the available fields. */
import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ask } from "../api/server.js";

/** Filters as examples, with their meaning. */
export type FilterExamples = readonly (readonly [filter: string, meaning: string])[];

interface FieldInfo {
  readonly name: string;
  readonly doc: string;
}

export function FilterHelp(props: {
  readonly dialog: RefObject<HTMLDialogElement | null>;
  /** Resource whose fields are listed. */
  readonly kind: string;
  readonly examples: FilterExamples;
  readonly onTake: (filter: string) => void;
}) {
  const { dialog, kind, examples, onTake } = props;
  const [fields, setFields] = useState<readonly FieldInfo[]>([]);
  const load = async () => {
    if (fields.length > 0 || !dialog.current?.open) return;
    const answer = await ask<{ fields: FieldInfo[] }>("GET", `/2/query/${kind}/fields`);
    // One disk or NIC stands for all of them.
    setFields(answer.fields.filter(({ name }) => !/\/(?:[1-9]|1\d)$/.test(name)));
  };
  useEffect(() => {
    const element = dialog.current as HTMLDialogElement;
    const observer = new MutationObserver(() => void load().catch(() => {}));
    observer.observe(element, { attributes: true, attributeFilter: ["open"] });
    return () => observer.disconnect();
  });
  return (
    <dialog ref={dialog} class="wide" aria-label="Help on filters">
      <h2>Filters in Ganeti's query syntax</h2>
      <dl class="examples">
        {examples.map(([filter, meaning]) => (
          <div key={filter}>
            <dt>
              <button
                type="button"
                class="quiet"
                onClick={() => {
                  onTake(filter);
                  dialog.current?.close();
                }}
              >
                <code>{filter}</code>
              </button>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <details>
        <summary>Fields</summary>
        <section class="field-list" tabIndex={0} aria-label="Fields of filters">
          <dl>
            {fields.map(({ name, doc }) => (
              <div key={name}>
                <dt>
                  <code>{name}</code>
                </dt>
                <dd>{doc}</dd>
              </div>
            ))}
          </dl>
        </section>
      </details>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}
