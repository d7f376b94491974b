import { useEffect, useRef, useState } from 'preact/hooks';
import type { AdminAction, ConfirmationView } from '../../../src/dashboard/page-messages.js';
import { confirmAction, messageOf, requestConfirmation } from '../api.js';
import { DiffText } from './diff-text.js';
import { ForeignText } from './foreign-text.js';
import { useModal } from './use-modal.js';

interface ConfirmDialogProps {
  readonly action: AdminAction;
  readonly adminKey: string;
  /** @param message - The result; absent if the user cancelled. */
  readonly onClose: (message?: string) => void;
}

/** Shows the consequences that the daemon reports, and runs the action after confirmation. */
export function ConfirmDialog({ action, adminKey, onClose }: ConfirmDialogProps) {
  const { dialog, close } = useModal(() => {
    if (!isBusy) closeDialog();
  });
  const [pending, setPending] = useState<ConfirmationView>();
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const isConfirmed = useRef(false);
  useEffect(() => {
    requestConfirmation(action, adminKey).then(setPending, (error: unknown) => setProblem(messageOf(error)));
  }, [action, adminKey]);
  const closeDialog = (message?: string) => {
    close();
    onClose(message);
  };
  const confirm = (confirmation: ConfirmationView, { detail }: MouseEvent) => {
    // Ignores the second half of a double click.
    if (detail > 1 || isConfirmed.current) return;
    isConfirmed.current = true;
    setBusy(true);
    confirmAction(confirmation, adminKey).then(
      ({ message }) => closeDialog(message),
      (error: unknown) => closeDialog(messageOf(error)),
    );
  };
  return (
    <dialog {...dialog} aria-labelledby="question">
      <h2 id="question">{pending ? <ForeignText text={pending.question} /> : (problem ?? 'One moment …')}</h2>
      {pending && pending.details.length > 0 && (
        <ul>
          {pending.details.map((line) => (
            <li key={line}>
              <ForeignText text={line} />
            </li>
          ))}
        </ul>
      )}
      {pending?.diff !== undefined && <DiffText text={pending.diff} label="Difference of the file" />}
      <div class="buttons">
        <button type="button" onClick={() => closeDialog()} disabled={isBusy}>
          Cancel
        </button>
        {pending && (
          <button
            type="button"
            class={action.action === 'stop' ? 'danger' : 'primary'}
            onClick={(event) => confirm(pending, event)}
            disabled={isBusy}
          >
            {isBusy ? 'Working …' : labels[action.action]}
          </button>
        )}
      </div>
    </dialog>
  );
}

const labels = {
  start: 'Start',
  stop: 'Stop',
  restart: 'Restart',
  approve: 'Approve',
  'approve-call': 'Approve',
  'deny-call': 'Deny',
  'record-calls': 'Record',
  'stop-recording': 'Stop recording',
  'forget-recorded-calls': 'Forget',
  'edit-server': 'Save',
  'undo-edit': 'Take back',
} as const;

/** Confirms and runs an action. `undefined` on a read-only page. */
export type Act = ((action: AdminAction) => void) | undefined;
