import { useEffect, useReducer } from 'preact/hooks';
import type { LiveMessage } from '../../src/dashboard/page-messages.js';
import { listen } from './listen.js';
import { type LiveState, nothingYet, withMessage } from './live-state.js';

type Change = LiveMessage | { readonly type: 'lost' };

/** What happens in the daemon, as it happens. The browser connects again by itself, and is sent everything anew then. */
export function useLive(): LiveState {
  const [state, change] = useReducer<LiveState, Change>(
    (before, message) => (message.type === 'lost' ? { ...before, connection: 'lost' } : withMessage(before, message)),
    nothingYet,
  );
  useEffect(
    () =>
      listen('api/events', {
        onMessage: (message) => change(message as LiveMessage),
        onLost: () => change({ type: 'lost' }),
      }),
    [],
  );
  return state;
}
