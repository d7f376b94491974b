import { isRecord } from '@x/internal/json';
import type { Era, Fields } from './client-request.js';

export function cursorFault({ cursor }: Fields): string | undefined {
  return cursor === undefined || typeof cursor === 'string' ? undefined : 'cursor must be a string';
}

export function callFault({ name, arguments: args, task }: Fields, era: Era): string | undefined {
  if (typeof name !== 'string') return 'name must be a string';
  if (args !== undefined && !isRecord(args)) return 'arguments must be an object';
  if (task === undefined || era === 'modern') return undefined;
  const isTask = isRecord(task) && (task.ttl === undefined || typeof task.ttl === 'number');
  return isTask ? undefined : 'task must be an object whose ttl is a number';
}

export function promptFault({ name, arguments: args }: Fields): string | undefined {
  if (typeof name !== 'string') return 'name must be a string';
  const isTexts =
    args === undefined || (isRecord(args) && Object.values(args).every((each) => typeof each === 'string'));
  return isTexts ? undefined : 'arguments must be an object of strings';
}

export function uriFault({ uri }: Fields): string | undefined {
  return typeof uri === 'string' ? undefined : 'uri must be a string';
}
