import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { ForeignText } from './foreign-text.js';

interface AskDialogProps {
  readonly question: string;
  /** Of the button that goes on. */
  readonly label: string;
  readonly onAnswer: (isYes: boolean) => void;
  readonly children?: ComponentChildren;
}

/** A question before something that cannot be undone. Escape means no. */
export function AskDialog({ question, label, onAnswer, children }: AskDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  const answer = (isYes: boolean) => {
    dialog.current?.close(); // before removal, so that the focus returns to its previous element
    onAnswer(isYes);
  };
  return (
    <dialog
      ref={dialog}
      aria-labelledby="ask-question"
      onCancel={(event) => {
        event.preventDefault();
        answer(false);
      }}
    >
      <h2 id="ask-question">
        <ForeignText text={question} maxLength={500} />
      </h2>
      {children}
      <div class="buttons">
        <button type="button" onClick={() => answer(false)}>
          Cancel
        </button>
        <button type="button" class="danger" onClick={() => answer(true)}>
          {label}
        </button>
      </div>
    </dialog>
  );
}
