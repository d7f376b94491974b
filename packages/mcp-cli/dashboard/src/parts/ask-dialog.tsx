import type { ComponentChildren } from 'preact';
import { ForeignText } from './foreign-text.js';
import { useModal } from './use-modal.js';

interface AskDialogProps {
  readonly question: string;
  /** Of the button that goes on. */
  readonly label: string;
  readonly onAnswer: (isYes: boolean) => void;
  readonly children?: ComponentChildren;
}

/** A question before something that cannot be undone. Escape means no. */
export function AskDialog({ question, label, onAnswer, children }: AskDialogProps) {
  const { dialog, close } = useModal(() => answer(false));
  const answer = (isYes: boolean) => {
    close();
    onAnswer(isYes);
  };
  return (
    <dialog {...dialog} aria-labelledby="ask-question">
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
