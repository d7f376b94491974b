import type { ToolProgress } from '@x/mcp-registry';
import type { Io } from '../../command.js';
import { printableLine } from '../print.js';

const width = 24;
const clearLine = '\r\u001b[2K';

export interface ProgressBar extends Disposable {
  show(progress: ToolProgress): void;
  /** Erases the line, and shows nothing until disposed: a question has the terminal. */
  hide(): Disposable;
}

/** A progress line on stderr, erased on disposal. Does nothing if stderr is no terminal. */
export function progressBar(io: Pick<Io, 'stderr'>): ProgressBar {
  const { stderr } = io;
  let isShown = false;
  let questions = 0;
  const erase = (): void => {
    if (isShown) stderr.write(clearLine);
    isShown = false;
  };
  return {
    show: (progress) => {
      if (!stderr.isTTY || questions > 0) return;
      isShown = true;
      stderr.write(`${clearLine}${barText(progress).slice(0, (stderr.columns ?? 80) - 1)}`);
    },
    hide: () => {
      erase();
      questions += 1;
      return {
        [Symbol.dispose]: () => {
          questions -= 1;
        },
      };
    },
    [Symbol.dispose]: erase,
  };
}

/** `[████████        ] 33 % message`; without a total the number alone. Servers may send invalid numbers. */
export function barText({ progress, total, message = '' }: ToolProgress): string {
  const words = printableLine(message, 200);
  const share = total === undefined ? Number.NaN : progress / total;
  if (!Number.isFinite(share)) return `${Number.isFinite(progress) ? progress : '…'} ${words}`.trimEnd();
  const filled = Math.round(Math.min(Math.max(share, 0), 1) * width);
  const percent = Math.round(Math.min(Math.max(share, 0), 1) * 100);
  return `[${'█'.repeat(filled)}${' '.repeat(width - filled)}] ${percent} % ${words}`.trimEnd();
}
