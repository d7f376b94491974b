import type { CallOutcome, CallView } from '../../../src/dashboard/page-messages.js';
import { ForeignText } from './foreign-text.js';
import type { Tone } from './state-badge.js';

const outcomes: Readonly<Record<CallOutcome, { readonly label: string; readonly tone: Tone }>> = {
  running: { label: '◌ under way', tone: 'warn' },
  ok: { label: '✓ ok', tone: 'good' },
  'tool-error': { label: '✕ tool error', tone: 'bad' },
  failed: { label: '✕ failed', tone: 'bad' },
  'input-required': { label: '◐ asks for input', tone: 'warn' },
  task: { label: '◐ goes on as a task', tone: 'warn' },
  refused: { label: '○ refused', tone: 'quiet' },
};

/** The outcome of a call, with the code of a failure. */
export function Outcome({ call: { outcome, error } }: { readonly call: CallView }) {
  const { label, tone } = outcomes[outcome];
  return (
    <>
      <span class={`badge badge-${tone}`}>{label}</span>
      {error !== undefined && (
        <span class="note">
          {' '}
          <ForeignText text={error} />
        </span>
      )}
    </>
  );
}
