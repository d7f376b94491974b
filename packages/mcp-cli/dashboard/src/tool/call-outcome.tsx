import { useEffect, useState } from 'preact/hooks';
import { type Json, recordOf } from '../../../src/call-words/schema-types.js';
import { formatDuration } from '../format.js';
import { ForeignText } from '../parts/foreign-text.js';
import { routeTo } from '../use-route.js';
import { ToolResult } from './tool-result.js';
import type { CallState } from './use-call.js';

interface CallOutcomeProps {
  readonly state: CallState;
  readonly outputSchema: Json | undefined;
  /** A call of this tool waits for an approval. */
  readonly isWaiting: boolean;
}

/** Progress of a call, then its answer. */
export function CallOutcome({ state, outputSchema, isWaiting }: CallOutcomeProps) {
  return (
    <section class="outcome-panel" aria-label="Answer">
      <CallStatus state={state} isWaiting={isWaiting} />
      {state.phase === 'done' && <ToolResult key={state.tookMs} result={state.result} outputSchema={outputSchema} />}
    </section>
  );
}

interface CallStatusProps {
  readonly state: CallState<unknown>;
  readonly isWaiting?: boolean;
}

/** Where a request is: its progress, or how it ended. */
export function CallStatus({ state, isWaiting = false }: CallStatusProps) {
  return (
    <>
      <div role="status" class="outcome-head">
        <Headline state={state} />
      </div>
      {state.phase === 'running' && <Running state={state} isWaiting={isWaiting} />}
      {state.phase === 'failed' && (
        <p class="failure">
          <ForeignText text={state.message} />
          {state.hint !== undefined && (
            <>
              {' '}
              <ForeignText text={state.hint} />
            </>
          )}
        </p>
      )}
    </>
  );
}

function Headline({ state }: CallStatusProps) {
  switch (state.phase) {
    case 'idle':
      return <p class="note">The answer appears here.</p>;
    case 'running':
      return <span class="badge badge-warn">◌ running</span>;
    case 'done': {
      const isError = recordOf(state.result).isError === true;
      return (
        <>
          <span class={`badge badge-${isError ? 'bad' : 'good'}`}>{isError ? '✕ tool error' : '✓ ok'}</span>
          <span class="note">{formatDuration(state.tookMs)}</span>
        </>
      );
    }
    case 'failed':
      return (
        <>
          <span class="badge badge-bad">✕ failed</span>
          <span class="note">{formatDuration(state.tookMs)}</span>
        </>
      );
    case 'cancelled':
      return (
        <>
          <span class="badge badge-quiet">○ cancelled</span>
          <span class="note">
            after {formatDuration(state.tookMs)}. It may have had an effect before the server noticed.
          </span>
        </>
      );
  }
}

function Running({
  state: { startedAt, progress },
  isWaiting,
}: {
  readonly state: Extract<CallState<unknown>, { readonly phase: 'running' }>;
  readonly isWaiting: boolean;
}) {
  const now = useSeconds();
  const { progress: done, total, message } = progress ?? {};
  return (
    <div class="running">
      {done === undefined || total === undefined || !(total > 0) ? (
        <progress aria-label="Progress" />
      ) : (
        <progress aria-label="Progress" value={Math.min(done, total)} max={total} />
      )}
      <p class="note">
        {formatDuration(Math.max(0, now - startedAt))}
        {done !== undefined && ` · ${done}${total === undefined ? '' : ` of ${total}`}`}
        {message !== undefined && (
          <>
            {' · '}
            <ForeignText text={message} maxLength={500} />
          </>
        )}
      </p>
      {isWaiting && (
        <p class="note">
          It waits for approval: <a href={routeTo('calls')}>approve or deny it in Calls</a>.
        </p>
      )}
    </div>
  );
}

function useSeconds(): number {
  const [now, setNow] = useState(() => performance.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), 500);
    return () => clearInterval(timer);
  }, []);
  return now;
}
