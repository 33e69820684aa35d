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

export function ChoiceField(
  props: Common & { readonly choices: readonly (readonly [value: string, text: string])[] },
) {
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
        {props.choices.map(([value, text]) => (
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
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly disabled?: boolean;
}) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={props.checked}
        disabled={props.disabled}
        onChange={(event) => props.onChange(event.currentTarget.checked)}
      />
      {props.label}
    </label>
  );
}
