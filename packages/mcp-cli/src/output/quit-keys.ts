import { type ExitCode, exitCodes } from '../exit-codes.js';
import type { Io } from '../io.js';
import { interruptKey, pressedKeys } from './pressed-keys.js';

/** How somebody ends a view that goes on by itself. */
export interface QuitKeys extends Disposable {
  /** Whether there is a terminal to press keys on. */
  readonly areRead: boolean;
  /** Aborts with the command's own signal, and when a key has ended the view. */
  readonly signal: AbortSignal;
  /** What the command exits with when a key has ended it; `undefined` as long as none has. */
  readonly wish: ExitCode | undefined;
}

/** `q` or Ctrl-C, until it is disposed of. */
export function quitKeys(io: Pick<Io, 'stdin' | 'signal'>): QuitKeys {
  const ended = new AbortController();
  let wish: ExitCode | undefined;
  const keys = pressedKeys(io, (key) => {
    if (key === 'q') wish ??= exitCodes.ok;
    if (key === interruptKey) wish ??= exitCodes.interrupted;
    if (wish !== undefined) ended.abort(new Error('enough was seen'));
  });
  return {
    areRead: keys.areRead,
    signal: AbortSignal.any([io.signal, ended.signal]),
    get wish() {
      return wish;
    },
    [Symbol.dispose]: () => keys[Symbol.dispose](),
  };
}
