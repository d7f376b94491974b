import { useEffect, useRef, useState } from 'preact/hooks';
import type { AdminAction, ConfirmationView } from '../../../src/dashboard/page-messages.js';
import { askForConfirmation, carryOut, messageOf } from '../api.js';
import { ForeignText } from './foreign-text.js';

interface ConfirmDialogProps {
  readonly action: AdminAction;
  readonly adminKey: string;
  /** @param message - The result; absent if the user cancelled. */
  readonly onClose: (message?: string) => void;
}

/** Shows the consequences that the daemon reports, and runs the action after confirmation. */
export function ConfirmDialog({ action, adminKey, onClose }: ConfirmDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [asked, setAsked] = useState<ConfirmationView>();
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const isConfirmed = useRef(false);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  useEffect(() => {
    askForConfirmation(action, adminKey).then(setAsked, (error: unknown) => setProblem(messageOf(error)));
  }, [action, adminKey]);
  const leave = (message?: string) => {
    dialog.current?.close(); // before removal, so that the focus returns to its previous element
    onClose(message);
  };
  const confirm = (confirmation: ConfirmationView, { detail }: MouseEvent) => {
    // Ignores the second half of a double click.
    if (detail > 1 || isConfirmed.current) return;
    isConfirmed.current = true;
    setBusy(true);
    carryOut(confirmation, adminKey).then(
      ({ message }) => leave(message),
      (error: unknown) => leave(messageOf(error)),
    );
  };
  return (
    <dialog
      ref={dialog}
      aria-labelledby="question"
      onCancel={(event) => {
        event.preventDefault();
        if (!isBusy) leave();
      }}
    >
      <h2 id="question">{asked ? <ForeignText text={asked.question} /> : (problem ?? 'One moment …')}</h2>
      {asked && asked.details.length > 0 && (
        <ul>
          {asked.details.map((line) => (
            <li key={line}>
              <ForeignText text={line} />
            </li>
          ))}
        </ul>
      )}
      <div class="buttons">
        <button type="button" onClick={() => leave()} disabled={isBusy}>
          Cancel
        </button>
        {asked && (
          <button type="button" class="primary" onClick={(event) => confirm(asked, event)} disabled={isBusy}>
            {isBusy ? 'Working …' : labels[action.action]}
          </button>
        )}
      </div>
    </dialog>
  );
}

const labels = { start: 'Start', stop: 'Stop', restart: 'Restart', approve: 'Approve' } as const;
