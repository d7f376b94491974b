import { useMemo } from 'preact/hooks';
import type { CallOutcome, CallView } from '../../../src/dashboard/page-messages.js';
import { formatDuration, formatTime } from '../format.js';
import type { LiveState } from '../live-state.js';
import type { Act } from '../parts/confirm-dialog.js';
import { ForeignText } from '../parts/foreign-text.js';
import type { Tone } from '../parts/state-badge.js';
import { WaitingCalls } from './waiting-calls.js';

const outcomes: Readonly<Record<CallOutcome, { readonly label: string; readonly tone: Tone }>> = {
  running: { label: '◌ under way', tone: 'warn' },
  ok: { label: '✓ ok', tone: 'good' },
  'tool-error': { label: '✕ tool error', tone: 'bad' },
  failed: { label: '✕ failed', tone: 'bad' },
  'input-required': { label: '◐ asks for input', tone: 'warn' },
  task: { label: '◐ goes on as a task', tone: 'warn' },
  refused: { label: '○ refused', tone: 'quiet' },
};

interface CallsViewProps {
  readonly state: LiveState;
  readonly act: Act;
}

/** Calls that wait for an approval, and the latest calls. */
export function CallsView({ state, act }: CallsViewProps) {
  return (
    <>
      <WaitingCalls state={state} act={act} />
      <LatestCalls calls={state.calls} />
    </>
  );
}

function LatestCalls({ calls }: { readonly calls: readonly CallView[] }) {
  if (calls.length === 0) return <p class="note">No tool was called through the daemon yet.</p>;
  return (
    <table>
      <caption>The latest calls through the daemon. Arguments and results are not kept.</caption>
      <thead>
        <tr>
          <th scope="col" class="time">
            Time
          </th>
          <th scope="col">Tool</th>
          <th scope="col" class="outcome">
            Outcome
          </th>
          <th scope="col" class="figure">
            Took
          </th>
          <th scope="col" class="role">
            Role
          </th>
          <th scope="col" class="client">
            Client
          </th>
        </tr>
      </thead>
      <tbody>
        {calls.toReversed().map((call) => (
          <CallRow key={call.id} call={call} />
        ))}
      </tbody>
    </table>
  );
}

/** Memoized, because a call changes only when it ends. */
function CallRow({ call }: { readonly call: CallView }) {
  return useMemo(() => {
    const { at, tool, durationMs, role, client } = call;
    return (
      <tr>
        <td>{formatTime(at)}</td>
        <td class="tool">
          <code>
            <ForeignText text={tool} />
          </code>
        </td>
        <td>
          <Outcome call={call} />
        </td>
        <td class="figure">{durationMs === undefined ? '–' : formatDuration(durationMs)}</td>
        <td data-label="Role" class={role === undefined ? 'without' : undefined}>
          {role === undefined ? '–' : <ForeignText text={role} />}
        </td>
        <td data-label="Client" class={client === undefined ? 'without' : undefined}>
          {client === undefined ? '–' : <ForeignText text={client} />}
        </td>
      </tr>
    );
  }, [call]);
}

/** What became of a call, with the code of a failure. */
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
