/** Labelled field of a form, with a hint or an error message. */
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

interface Common {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly hint?: string | undefined;
  readonly fault?: string | undefined;
}

/** `field(key)`: value, fault and change of the field for a key of a form. */
export const fieldsOf =
  <Values extends object>(
    values: Values,
    set: (changes: Partial<Values>) => void,
    faultOf: (key: string) => string | undefined = () => undefined,
  ) =>
  <Key extends keyof Values & string>(key: Key) => ({
    value: values[key],
    fault: faultOf(key),
    onChange: (value: Values[Key]) => set({ [key]: value } as unknown as Partial<Values>),
  });

export function TextField(
  props: Common & {
    readonly placeholder?: string;
    readonly required?: boolean;
    readonly list?: string;
    /** Whether the key `/` moves the focus to it. */
    readonly isSearch?: boolean;
  },
) {
  const { label, value, onChange, placeholder, required, list } = props;
  const id = useId();
  return (
    <Labelled {...props} id={id} label={label}>
      <input
        id={id}
        type={props.isSearch ? "search" : "text"}
        value={value}
        placeholder={placeholder}
        required={required}
        list={list}
        autocomplete="off"
        spellcheck={false}
        aria-invalid={props.fault !== undefined}
        aria-describedby={`${id}-note`}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </Labelled>
  );
}

/** A value, and its text where that differs. */
type Choice = string | readonly [value: string, text: string];

export function ChoiceField(props: Common & { readonly choices: readonly Choice[] }) {
  const id = useId();
  return (
    <Labelled {...props} id={id}>
      <select
        id={id}
        value={props.value}
        aria-invalid={props.fault !== undefined}
        aria-describedby={`${id}-note`}
        onChange={(event) => props.onChange(event.currentTarget.value)}
      >
        {props.choices
          .map((one) => (typeof one === "string" ? ([one, one] as const) : one))
          .map(([value, text]) => (
            <option value={value} key={value}>
              {text}
            </option>
          ))}
      </select>
    </Labelled>
  );
}

function Labelled(
  props: Omit<Common, "onChange" | "value"> & {
    readonly id: string;
    readonly children: ComponentChildren;
  },
) {
  const { id, label, hint, fault } = props;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {props.children}
      <small id={`${id}-note`} class={fault ? "fault" : ""}>
        {fault ?? hint}
      </small>
    </div>
  );
}

export function CheckField(props: {
  readonly label: string;
  readonly value: boolean;
  readonly onChange: (value: boolean) => void;
  readonly disabled?: boolean;
}) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={props.value}
        disabled={props.disabled}
        onChange={(event) => props.onChange(event.currentTarget.checked)}
      />
      {props.label}
    </label>
  );
}

/** Fields of one of several things, with a button that removes it. */
export const Withdrawable = (props: {
  readonly label: string;
  /** Without it the thing stays. */
  readonly onRemove: (() => void) | undefined;
  readonly children: ComponentChildren;
}) => (
  <div class="withdrawable">
    {props.children}
    {props.onRemove && (
      <button type="button" class="quiet" aria-label={props.label} onClick={props.onRemove}>
        ✕
      </button>
    )}
  </div>
);
