import { unwatchFile, watchFile } from 'node:fs';
import { sequence } from '@x/internal/async';
import type { Stack } from '../compose.js';
import type { ConfigProblem } from '../config/config-problem.js';
import type { LiveConfig } from '../config/live-config.js';
import { toControlError } from '../control/to-control-error.js';
import type { Identity } from './identity.js';

/** Polling interval in milliseconds. */
const intervalMs = 400;

interface FollowTokensOptions {
  /** Has the roles that entries name. */
  readonly live: Pick<LiveConfig, 'events' | 'settled'>;
  readonly stack: Pick<Stack, 'redactor'>;
  readonly onProblem: (problem: ConfigProblem) => void;
}

export interface FollowedTokens extends Disposable {
  /** Reads the file now. Never rejects. */
  reload(): Promise<void>;
}

/** Applies each edit of the tokens file, and reads it after each change of the roles, until disposed. */
export function followTokens(
  tokens: Pick<Identity, 'file' | 'reload'> | undefined,
  { live, stack, onProblem }: FollowTokensOptions,
): FollowedTokens {
  const { file } = tokens ?? {};
  const inSequence = sequence();
  let readAt = Date.now();
  let isOver = false;
  const reload = (): Promise<void> =>
    inSequence(async () => {
      if (isOver) return;
      try {
        await tokens?.reload();
        readAt = Date.now();
      } catch (error) {
        if (isOver) return;
        const { message, details } = toControlError(error, stack.redactor);
        onProblem({ message: [message, details.join('; ')].join(' ').trim(), readAt });
      }
    });
  const onEdit = (): void => void live.settled().then(reload); // an edit of the roles may come with it
  const listening = live.events.on('change', () => void reload());
  if (file !== undefined) watchFile(file, { interval: intervalMs, persistent: false }, onEdit);
  return {
    reload,
    [Symbol.dispose]: () => {
      isOver = true;
      listening[Symbol.dispose]();
      if (file !== undefined) unwatchFile(file, onEdit);
    },
  };
}
