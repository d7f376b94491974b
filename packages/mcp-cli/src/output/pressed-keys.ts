import type { Io } from '../io.js';

/** Ctrl-C as a terminal in raw mode sends it. */
export const interruptKey = '\u0003';

interface TerminalInput {
  readonly isTTY?: boolean | undefined;
  setRawMode?(isRaw: boolean): unknown;
}

export interface PressedKeys extends Disposable {
  /** True if stdin is a terminal. */
  readonly areRead: boolean;
}

/**
 * Calls `listener` for each pressed key, Ctrl-C included. Disposal restores the terminal. Does nothing if stdin is no
 * terminal.
 */
export function pressedKeys({ stdin }: Pick<Io, 'stdin'>, listener: (key: string) => void): PressedKeys {
  const terminal = stdin as typeof stdin & TerminalInput;
  if (terminal.isTTY !== true || typeof terminal.setRawMode !== 'function')
    return { areRead: false, [Symbol.dispose]: () => undefined };
  const onData = (data: Buffer | string): void => {
    for (const key of data.toString()) listener(key);
  };
  terminal.setRawMode(true);
  terminal.on('data', onData);
  terminal.resume();
  return {
    areRead: true,
    [Symbol.dispose]: () => {
      terminal.off('data', onData);
      terminal.pause();
      terminal.setRawMode?.(false);
    },
  };
}
