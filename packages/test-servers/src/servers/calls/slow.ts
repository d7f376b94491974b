// Responds slowly; --handshake-ms delays `initialize`.
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { echoTool, noResponse, type Params, pidTool, serve, type ToolCall } from '../../serving/json-lines.js';

const { values } = parseArgs({ options: { 'handshake-ms': { type: 'string', default: '0' } } });
const cancelled: (string | number)[] = [];

const connection = serve({
  onInitialize: () => delay(Number(values['handshake-ms'])),
  tools: [
    echoTool,
    pidTool,
    {
      name: 'wait',
      description:
        'Answers after a while, with progress in between if steps are given, and when the file `until` is there',
      properties: { ms: { type: 'number' }, steps: { type: 'integer' }, until: { type: 'string' } },
      run: wait,
    },
    {
      name: 'busy',
      description: 'Blocks the whole server for a while',
      properties: { ms: { type: 'number' } },
      run: ({ ms }) => {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(ms));
        return `busy for ${Number(ms)} ms`;
      },
    },
    { name: 'cancelled', description: 'Ids of the cancelled requests as JSON', run: () => JSON.stringify(cancelled) },
  ],
});

async function wait({ ms, steps = 1, until }: Params, { id, signal, progressToken }: ToolCall): Promise<unknown> {
  signal.addEventListener('abort', () => cancelled.push(id), { once: true });
  try {
    for (let step = 1; step <= Number(steps); step += 1) {
      await delay(Number(ms) / Number(steps), undefined, { signal });
      if (progressToken === undefined) continue;
      connection.notify('notifications/progress', { progressToken, progress: step, total: Number(steps) });
    }
    while (until !== undefined && !existsSync(String(until))) await delay(10, undefined, { signal });
    return `waited ${Number(ms)} ms`;
  } catch {
    return noResponse; // aborted by the signal
  }
}
