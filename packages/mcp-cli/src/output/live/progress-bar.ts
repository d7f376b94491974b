import type { ToolProgress } from '@x/mcp-registry';
import type { Io } from '../../command.js';
import { printableLine } from '../print.js';

const width = 24;
const clearLine = '\r\u001b[2K';

/** A progress line on stderr, erased on disposal. Does nothing if stderr is no terminal. */
export function progressBar(io: Pick<Io, 'stderr'>): { show(progress: ToolProgress): void } & Disposable {
  const { stderr } = io;
  let isShown = false;
  return {
    show: (progress) => {
      if (!stderr.isTTY) return;
      isShown = true;
      stderr.write(`${clearLine}${barText(progress).slice(0, (stderr.columns ?? 80) - 1)}`);
    },
    [Symbol.dispose]: () => {
      if (isShown) stderr.write(clearLine);
    },
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
