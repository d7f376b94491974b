import type { ApprovalView } from '../../../src/dashboard/page-messages.js';
import { formatDuration } from '../format.js';
import type { LiveState } from '../live-state.js';
import type { Act } from '../parts/confirm-dialog.js';
import { ForeignText } from '../parts/foreign-text.js';

interface WaitingCallsProps {
  readonly state: LiveState;
  readonly act: Act;
}

export function WaitingCalls({ state: { approvals, clockAheadMs }, act }: WaitingCallsProps) {
  if (approvals.length === 0) return null;
  return (
    <section aria-labelledby="waiting">
      <h2 id="waiting">Waiting for approval</h2>
      <ul class="rows" aria-label="Calls that wait for approval">
        {approvals.map((call) => (
          <WaitingCall key={call.id} call={call} now={Date.now() - clockAheadMs} act={act} />
        ))}
      </ul>
    </section>
  );
}

interface WaitingCallProps {
  readonly call: ApprovalView;
  /** By the daemon's clock. */
  readonly now: number;
  readonly act: Act;
}

function WaitingCall({ call: { id, server, tool, expiresAt, text, rest, isCut }, now, act }: WaitingCallProps) {
  const name = server === undefined ? tool : `${server}.${tool}`;
  return (
    <li class="row">
      <div class="card-head">
        <code>
          <ForeignText text={name} />
        </code>
        <span class="badge badge-warn">◌ {formatDuration(Math.max(0, expiresAt - now))} left</span>
      </div>
      <Lines text={text.slice(text.indexOf('\n') + 1)} label={`Call of ${name}`} />
      {rest !== undefined && !isCut && <Lines text={rest} label={`All arguments of ${name}`} />}
      {isCut && (
        <p class="error">
          This is too long to be shown here, so it cannot be approved here. Read all of it with “mcpx approvals --json”.
        </p>
      )}
      {act && (
        <div class="buttons">
          {!isCut && (
            <button type="button" onClick={() => act({ action: 'approve-call', id })}>
              Approve<span class="visually-hidden"> {name}</span>
            </button>
          )}
          <button type="button" onClick={() => act({ action: 'deny-call', id })}>
            Deny<span class="visually-hidden"> {name}</span>
          </button>
        </div>
      )}
    </li>
  );
}

function Lines({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard.
    // biome-ignore lint/a11y/useSemanticElements: a section would not keep the lines as they are.
    <pre class="diff" role="region" aria-label={label} tabIndex={0}>
      <ForeignText text={text} maxLength={30_000} />
    </pre>
  );
}
