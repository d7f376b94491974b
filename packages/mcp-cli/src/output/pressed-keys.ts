import type { Io } from '../io.js';

/** What a terminal sends for Ctrl-C while it hands over each key as it is pressed. */
export const interruptKey = '\u0003';

interface TerminalInput {
  readonly isTTY?: boolean | undefined;
  setRawMode?(isRaw: boolean): unknown;
}

export interface PressedKeys extends Disposable {
  /** Whether there is a terminal to press keys on. */
  readonly areRead: boolean;
}

/**
 * Calls `listener` for each key that somebody presses, until it is disposed of; then the terminal is as it was. Does
 * nothing where stdin is no terminal. Ctrl-C is a key like any other meanwhile.
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
