/** Labelled fields of the simulator's forms. */
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

/** A text or number field with its label above it. */
export function Field(props: {
  readonly label: string;
  readonly name: string;
  /** A number for a field that takes only numbers. */
  readonly value: string | number;
  readonly min?: number;
  readonly step?: string;
}) {
  const { label, name, value, min, step } = props;
  const id = useId();
  const shared = { id, name, defaultValue: String(value), required: true };
  return (
    <div class="field">
      <label htmlFor={id}>{label}</label>
      {typeof value === "number" ? (
        <input {...shared} type="number" min={min} step={step} />
      ) : (
        <input {...shared} type="text" />
      )}
    </div>
  );
}

/** A choice with its label above it. */
export function Choice(props: {
  readonly label: string;
  readonly name: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly value?: string;
}) {
  const { label, name, options, value } = props;
  const id = useId();
  return (
    <div class="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} name={name}>
        {options.map(([each, text]) => (
          <option key={each} value={each} selected={each === value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

/** A form whose values arrive as texts by name. */
export function Form(props: {
  readonly action: string;
  readonly disabled: boolean;
  readonly onSubmit: (values: Readonly<Record<string, string>>) => void;
  readonly children: ComponentChildren;
}) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget as HTMLFormElement);
    props.onSubmit(
      Object.fromEntries([...data].map(([name, value]) => [name, String(value).trim()])),
    );
  };
  return (
    <form class="tool" onSubmit={submit}>
      {props.children}
      <button type="submit" disabled={props.disabled}>
        {props.action}
      </button>
    </form>
  );
}
