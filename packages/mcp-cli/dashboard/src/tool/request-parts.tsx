import { QuestionDialog } from './question-dialog.js';
import type { Caller } from './use-call.js';

/** The part of a caller that does not depend on its method. */
type AnyCaller = Pick<Caller, 'cancel' | 'question' | 'answer'> & { readonly state: { readonly phase: string } };

interface RequestButtonsProps {
  readonly caller: AnyCaller;
  readonly label: string;
  /** In place of the label until the response is there. */
  readonly runningLabel: string;
  readonly title?: string;
}

/** Sends the form of a request, or cancels the request. */
export function RequestButtons({ caller, label, runningLabel, title }: RequestButtonsProps) {
  const isRunning = caller.state.phase === 'running';
  return (
    <div class="buttons">
      {isRunning && (
        <button type="button" onClick={caller.cancel}>
          Cancel
        </button>
      )}
      <button type="submit" class="primary" disabled={isRunning} title={title}>
        {isRunning ? runningLabel : label}
      </button>
    </div>
  );
}

/** The question of the server during the request, if there is one. */
export function RequestQuestion({ caller: { question, answer } }: { readonly caller: AnyCaller }) {
  return question ? <QuestionDialog key={question.id} question={question} onAnswer={answer} /> : null;
}
