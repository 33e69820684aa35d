/** A question before a change that cannot simply be taken back. */
import { useEffect, useRef } from "preact/hooks";

export function Confirm(props: {
  readonly question: string;
  readonly action: string;
  readonly onAnswer: (yes: boolean) => void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const close = () => props.onAnswer(dialog.current?.returnValue === "yes");
  return (
    <dialog ref={dialog} onClose={close} aria-label={props.question}>
      <p>{props.question}</p>
      <form method="dialog" class="buttons">
        <button type="submit" value="no">
          Leave it
        </button>
        <button type="submit" value="yes" class="strong">
          {props.action}
        </button>
      </form>
    </dialog>
  );
}
