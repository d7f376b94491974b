import { callListener } from '@x/internal/events';
import type { ToolProgress } from '../session.js';
import type { Params } from './json-rpc.js';

/** Drops notifications without `progress`. */
export function passProgress(
  { progress, total, message }: Params,
  listener: { onProgress(progress: ToolProgress): void },
): void {
  if (typeof progress !== 'number') return;
  const told: ToolProgress = {
    progress,
    ...(typeof total === 'number' && { total }),
    ...(typeof message === 'string' && { message }),
  };
  callListener('An onProgress listener', () => listener.onProgress(told));
}
