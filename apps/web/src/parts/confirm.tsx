/** Confirmation dialog, which may ask for a text. */
import { useEffect, useRef, useState } from "preact/hooks";

export function Confirm(props: {
  readonly question: string;
  readonly action: string;
  /** Label of the text that the user adds. */
  readonly wants?: string | undefined;
  /** Names of several objects that are changed. */
  readonly names?: readonly string[] | undefined;
  readonly isDangerous?: boolean | undefined;
  /** The text that the user has to type before a change that cannot be undone. */
  readonly typed?: string | undefined;
  /** Called with the text, which is empty if none was asked for, or with undefined if the user declines. */
  readonly onAnswer: (word: string | undefined) => void;
}) {
  const { question, action, wants, names = [], isDangerous, typed, onAnswer } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const [word, setWord] = useState("");
  useEffect(() => dialog.current?.showModal(), []);
  // The close event arrives in a later task, when the user may have left the page, so a yes is handled before it.
  const closed = () => {
    if (dialog.current?.returnValue !== "yes") onAnswer(undefined);
  };
  return (
    <dialog ref={dialog} onClose={closed} aria-label={question}>
      <p>{question}</p>
      {names.length > 1 && (
        <ul class="names">
          {names.map((name) => (
            <li key={name}>{name}</li>
          ))}
        </ul>
      )}
      <form method="dialog" onSubmit={() => onAnswer(word.trim())}>
        {wants && (
          <label class="field">
            {wants}
            <input value={word} required onInput={(event) => setWord(event.currentTarget.value)} />
          </label>
        )}
        {typed !== undefined && (
          <label class="field">
            Type {typed} to go on
            <input required autocomplete="off" pattern={literal(typed)} title={typed} />
          </label>
        )}
        <div class="buttons">
          <button type="button" onClick={() => dialog.current?.close()}>
            Leave it
          </button>
          <button type="submit" value="yes" class={isDangerous ? "strong danger" : "strong"}>
            {action}
          </button>
        </div>
      </form>
    </dialog>
  );
}

/** A pattern that only this text matches. */
const literal = (text: string): string => text.replace(/[^\w]/g, (character) => `[${character}]`);
