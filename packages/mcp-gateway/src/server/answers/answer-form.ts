import type { AnswerForm } from './post-answer.js';

/** `undefined`: the header allows neither JSON nor an event stream. */
export function formOf(accept: string | null): AnswerForm | undefined {
  const types = (accept ?? '')
    .toLowerCase()
    .split(',')
    .map((type) => type.split(';', 1)[0]?.trim() ?? '');
  const json = types.findIndex((type) => JSON_TYPES.has(type));
  const stream = types.findIndex((type) => STREAM_TYPES.has(type));
  if (stream < 0) return json < 0 ? undefined : 'json';
  if (json < 0) return 'stream';
  return stream < json ? 'stream' : 'either';
}

const JSON_TYPES: ReadonlySet<string> = new Set(['application/json', 'application/*', '*/*']);
const STREAM_TYPES: ReadonlySet<string> = new Set(['text/event-stream', 'text/*', '*/*']);
