import { useMemo } from 'preact/hooks';
import type { Session } from '../api.js';
import { counted } from '../format.js';
import type { LiveState } from '../live-state.js';
import type { Act } from '../parts/confirm-dialog.js';
import { useMethod } from '../use-response.js';
import type { Route } from '../use-route.js';
import { callsLike } from './call-criteria.js';
import { CallDetail } from './call-detail.js';
import { CallFilters, useCallFilters } from './call-filters.js';
import { CallTable } from './call-table.js';
import { useHeldCalls, useOpenedCall } from './held-calls.js';
import { RecordingBar } from './recording-bar.js';
import { WaitingCalls } from './waiting-calls.js';

interface CallsViewProps {
  readonly state: LiveState;
  /** Its item is the id of a call; its query has the filters. */
  readonly route: Route;
  readonly session: Session;
  readonly act: Act;
}

/** Calls that wait for an approval, and the latest calls. */
export function CallsView({ state, route, session, act }: CallsViewProps) {
  return (
    <>
      <WaitingCalls state={state} act={act} />
      <LatestCalls state={state} route={route} session={session} act={act} />
    </>
  );
}

function LatestCalls({ state, route, session, act }: CallsViewProps) {
  const { servers, recording } = state;
  const { calls, isHeld, missed, holder } = useHeldCalls(state.calls);
  const filters = useCallFilters(route);
  const found = useRecordedText(filters.chosen.q, state, session);
  const shown = useMemo(
    () => calls.filter(callsLike(filters.chosen, found)).toReversed(),
    [calls, filters.chosen, found],
  );
  const opened = useOpenedCall(calls, route.item);
  return (
    <>
      {recording && <RecordingBar recording={recording} act={act} calls={shown} session={session} />}
      {calls.length === 0 && <p class="note">No tool was called through the daemon yet.</p>}
      {calls.length > 0 && <CallFilters calls={calls} servers={servers} filters={filters} />}
      {calls.length > 0 && (
        <div class="list-state note">
          <p role="status">
            {shown.length} of the latest {calls.length} calls through the daemon.
          </p>
          <p id="calls-held" class="held">
            {isHeld ? `◐ Held: ${counted(missed, 'new call')}` : '● New calls appear on top'}
          </p>
        </div>
      )}
      <div class={opened ? 'split calls-split' : undefined}>
        <div {...holder}>{shown.length > 0 && <CallTable calls={shown} route={route} describedBy="calls-held" />}</div>
        {opened && <CallDetail key={opened.id} call={opened} state={state} route={route} session={session} />}
      </div>
    </>
  );
}

const noIds: ReadonlySet<number> = new Set();

/** Ids of records that contain the text. */
function useRecordedText(text: string, { recording, calls }: LiveState, { adminKey }: Session): ReadonlySet<number> {
  const isAsked = adminKey !== undefined && text.trim() !== '' && (recording?.calls ?? 0) > 0;
  const { response } = useMethod(
    'findRecordedCalls',
    isAsked ? { text: text.trim() } : undefined,
    calls.length,
    adminKey,
  );
  return useMemo(() => (isAsked && response ? new Set(response) : noIds), [isAsked, response]);
}
