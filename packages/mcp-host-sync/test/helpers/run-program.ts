import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { text } from 'node:stream/consumers';
import { inject } from 'vitest';
import type { SyncOrder } from '../programs/sync-once.js';

export interface SyncReport {
  /** Missing if the process was killed. */
  readonly steps?: number;
  readonly code?: string;
  readonly message?: string;
  readonly signal: NodeJS.Signals | null;
}

export interface RunOptions {
  /** Shell words before the command, such as `ulimit -f 1;`. */
  readonly shell?: string;
}

/** Runs a sync in a separate process. */
export async function syncElsewhere(order: SyncOrder, { shell }: RunOptions = {}): Promise<SyncReport> {
  const command = [execPath, join(inject('programsFolder'), 'sync-once.js'), JSON.stringify(order)];
  const [file = '', ...args] = shell === undefined ? command : ['sh', '-c', `${shell} exec "$@"`, 'sh', ...command];
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<NodeJS.Signals | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (_code, signal) => resolve(signal));
  });
  const [output, signal] = await Promise.all([text(child.stdout), ended]);
  return { ...(output === '' ? {} : JSON.parse(output)), signal };
}
