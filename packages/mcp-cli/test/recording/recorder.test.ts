import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseRecording } from '@x/internal/recording';
import { createRedactor } from '@x/mcp-config-schema';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Recorder } from '../../src/recording/recorder.js';
import { redactMessage } from '../../src/recording/redact-message.js';
import { project } from '../helpers/project.js';

const message = { jsonrpc: '2.0', method: 'notifications/message', params: { data: 'ü\n' } };

test('messages are recorded whole from any pieces, and pass on unchanged', async () => {
  await using here = await project({});
  let count = 0;
  const bytes = Buffer.from(`noise\n${JSON.stringify(message)}\n\n${JSON.stringify(message)}\n`);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat({ max: bytes.length })), async (cuts) => {
      count += 1;
      const path = join(here.folder, `${count}`);
      const passed: Buffer[] = [];
      {
        using recorder = new Recorder(path, { redactor: createRedactor(), onFull: () => undefined });
        const tap = recorder.tap('server').on('data', (chunk: Buffer) => passed.push(chunk));
        const places = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        for (const [index, place] of places.entries()) tap.write(bytes.subarray(places[index - 1] ?? 0, place));
        tap.end();
        await new Promise((resolve) => tap.once('end', resolve));
      }
      expect(Buffer.concat(passed)).toEqual(bytes);
      const { messages } = parseRecording(await readFile(path, 'utf8'));
      expect(messages).toEqual([
        { from: 'server', message },
        { from: 'server', message },
      ]);
    }),
    { numRuns: 50 },
  );
});

test('a file that is full ends with that, once, and the traffic goes on', async () => {
  await using here = await project({});
  const path = join(here.folder, 'full');
  const reasons: string[] = [];
  {
    using recorder = new Recorder(path, { redactor: createRedactor(), onFull: (reason) => reasons.push(reason) });
    const tap = recorder.tap('server').resume();
    tap.write(`${JSON.stringify(message)}\n`);
    for (let each = 0; each < 3; each += 1) tap.write(Buffer.alloc(8 * 1_024 * 1_024, 'x'));
    tap.end(`\n${JSON.stringify(message)}\n`);
    await new Promise((resolve) => tap.once('end', resolve));
  }
  expect(reasons).toEqual([expect.stringContaining('a message has more than')]);
  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ end: 'limit' });
});

test('secrets are hidden by value, by name and by shape, and members of the protocol stay', () => {
  const redactor = createRedactor(['known-value']);
  const params = {
    _meta: { progressToken: 'abcdefgh' },
    apiKey: 'hunter22x',
    text: 'with known-value',
    list: ['password=hunter22x'],
  };
  expect(redactMessage({ params }, redactor)).toEqual({
    params: { ...params, apiKey: '***', text: 'with ***', list: ['password=***'] },
  });
});
