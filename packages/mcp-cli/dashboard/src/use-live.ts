import { useEffect, useReducer } from 'preact/hooks';
import type { LiveMessage } from '../../src/dashboard/page-messages.js';
import { listen } from './listen.js';
import { type LiveInput, type LiveState, nothingYet, withInput } from './live-state.js';

/** The daemon sends a message every 5 s. */
const silenceMs = 15_000;

/** The live state of the daemon. Reconnects after a loss and receives everything again. */
export function useLive(): LiveState {
  const [state, take] = useReducer<LiveState, LiveInput>(
    (before, input) => withInput(before, input, Date.now()),
    nothingYet,
  );
  useEffect(
    () =>
      listen(
        'api/events',
        {
          onMessage: (message) => take(message as LiveMessage),
          onLost: (reason) => take({ type: 'lost', reason }),
          onEnd: (reason) => take({ type: 'ended', reason }),
        },
        { silenceMs },
      ),
    [],
  );
  return state;
}
