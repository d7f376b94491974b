import { within } from '@x/internal/async';
import type { HttpTransport } from './http-transport.js';
import type { Session } from './session.js';

/** How long calls that were sent may go on to wait for their answers when their session is given up, in milliseconds. */
const lastAnswersMs = 5_000;
/** Longest time for the question whether a server still answers, in milliseconds. */
const doubtMs = 5_000;

/**
 * A session whose end over HTTP is noticed: there is no process and no pipe that would end with the server. When the
 * server is gone, or has forgotten the session, no further call goes there; answers on their way still arrive.
 */
export function httpSession(
  session: Session,
  { transport, onAuthFailure }: { transport: HttpTransport; onAuthFailure: (error: unknown) => Error },
): Session {
  const givenUp = new AbortController();
  let endCause: Error | undefined;
  let checking: Promise<void> | undefined;
  const check = async (): Promise<void> => {
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), doubtMs);
    try {
      await session.checkAlive({ signal: deadline.signal });
    } catch {
      // If the server is gone, the transport has noticed; if it is slow, its health checks will.
    } finally {
      clearTimeout(timer);
      checking = undefined;
    }
  };
  const onDoubt = (): Promise<void> => {
    checking ??= check();
    return checking;
  };
  const onLost = (cause?: Error): void => {
    endCause = cause;
    givenUp.abort();
  };
  transport.watch({ onLost, onDoubt, onAuthFailure });
  const closed = Promise.race([
    session.closed,
    new Promise<void>((resolve) => {
      givenUp.signal.addEventListener('abort', () => resolve(), { once: true });
    }),
  ]);
  const close = async (): Promise<void> => {
    if (givenUp.signal.aborted) await within(transport.idle(), lastAnswersMs);
    await session.close();
  };
  return new Proxy(session, {
    get(target, key) {
      if (key === 'isOpen') return target.isOpen && !givenUp.signal.aborted;
      if (key === 'endCause') return endCause;
      if (key === 'closed') return closed;
      if (key === 'close') return close;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
