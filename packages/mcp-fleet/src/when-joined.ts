import type { EventSource } from '@x/internal/contracts';
import { FleetError } from './errors.js';
import type { FleetEvents } from './events.js';

interface WhenJoinedOptions {
  readonly events: EventSource<FleetEvents>;
  state(): 'joined' | 'joining' | FleetError;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Resolves once this node has joined.
 *
 * @throws Error from `state`, or the signal's reason.
 */
export async function whenJoined({ events, state, signal }: WhenJoinedOptions): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const check = () => {
      const found = state();
      if (found === 'joined') end(resolve);
      else if (found !== 'joining') end(() => reject(found));
    };
    const onAbort = () => end(() => reject(signal?.reason));
    const end = (settle: () => void) => {
      for (const subscription of subscriptions) subscription[Symbol.dispose]();
      signal?.removeEventListener('abort', onAbort);
      settle();
    };
    const subscriptions = (['joined', 'join-failed', 'left'] as const).map((name) => events.on(name, check));
    signal?.addEventListener('abort', onAbort);
    check();
  });
}

/**
 * Like `whenJoined`, with a time limit.
 *
 * @throws {FleetError} `timed-out`; or as `whenJoined`.
 */
export async function joinedWithin(timeoutMs: number, { signal, ...options }: WhenJoinedOptions): Promise<void> {
  const limit = new AbortController();
  const message = `This node did not join the fleet within ${timeoutMs} milliseconds; nothing was sent`;
  const late = new FleetError('timed-out', message, { retryable: true });
  const timer = setTimeout(() => limit.abort(late), timeoutMs);
  try {
    await whenJoined({ ...options, signal: signal ? AbortSignal.any([signal, limit.signal]) : limit.signal });
  } finally {
    clearTimeout(timer);
  }
}
