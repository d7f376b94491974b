import { strict as assert } from 'node:assert';
import { EventEmitter, once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createAnthropic } from '@ai-sdk/anthropic';
import { openTools } from '@x/mcp';
import { Chat } from './chat.js';
import { RecordedApi } from './recorded-api.js';
import { recordings } from './recordings.js';

const config = fileURLToPath(new URL('../config', import.meta.url));
const folder = await mkdtemp(join(tmpdir(), 'chat-'));
process.env.CHAT_FOLDER = folder;
try {
  await tellStory();
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}

async function tellStory(): Promise<void> {
  await using api = new RecordedApi(recordings);
  const calls = new EventEmitter();
  const screen = new EventEmitter();
  const url = await api.listen();

  // #region open
  await using tools = await openTools({
    config,
    registry: {
      audit(event) {
        if (event.action === 'call') calls.emit(`${event.name} ${event.outcome}`);
      },
    },
  });
  const model = createAnthropic({ baseURL: url, apiKey: 'none' })('claude-sonnet-4-5');
  const chat = new Chat({
    model,
    tools: tools.as('chat', { principal: 'ada' }),
    onText: (text) => void screen.emit('text', text),
    onCall: (tool) => void screen.emit('call', tool),
  });
  // #endregion open

  screen.on('call', (tool) => console.log(`  (${tool})`));
  screen.on('text', (text) => process.stdout.write(`[${text}]`));
  screen.on('text', () => api.events.emit('shown'));
  const ask = async (question: string, signal?: AbortSignal) => {
    console.log(`> ${question}`);
    await chat.send(question, signal);
    console.log();
  };

  await ask('What do I have to do today?');
  assert.match(lastResultIn(api), /Buy milk, and call Ada\./);
  await ask('Please remember that.');
  assert.match((await tools.call('mcp__memory__read_graph')).text(), /Call Ada/);
  await ask('What does the logo look like?');
  assert.match(lastResultIn(api), /"type":"image","source":\{"type":"base64","media_type":"image\/png"/);
  await ask('Empty my list.');
  assert.match(lastResultIn(api), /unavailable tool 'mcp__files__write_file'/);

  const stop = new AbortController();
  const long = 'mcp__everything__trigger-long-running-operation';
  calls.once(`${long} started`, () => stop.abort(new Error('Stop')));
  const ended = once(calls, `${long} failed`);
  await assert.rejects(ask('Start the long operation.', stop.signal), /Stop/);
  await ended;
  console.log('Stop: the call has ended');

  assert.equal(api.requests.length, recordings.length);
  assert.equal(new Set(api.requests.map((request) => JSON.stringify(request.tools))).size, 1);
}

/** The last request to the model. */
function lastResultIn({ requests }: RecordedApi): string {
  return JSON.stringify(requests.at(-1)?.messages.at(-1));
}
