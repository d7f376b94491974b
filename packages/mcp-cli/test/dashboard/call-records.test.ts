import { createRedactor } from '@x/mcp-config-schema';
import type { InterceptedCall } from '@x/mcp-registry/interceptors';
import { expect, test } from 'vitest';
import { CallRecords } from '../../src/dashboard/call-records.js';
import { LateTelemetry } from '../../src/telemetry/late-telemetry.js';
import { deferred } from '../helpers/deferred.js';

const recordingOf = (...secrets: string[]) => {
  const recording = new CallRecords(() => createRedactor(secrets));
  const notes: string[] = [];
  const call = (args: object, next: () => Promise<{ content: [] }>, meta?: object) =>
    recording.interceptor.call?.(
      { args, options: { meta }, note: (text: string) => notes.push(text) } as unknown as InterceptedCall,
      next,
    );
  return { recording, notes, call };
};
const done = async () => ({ content: [] as [] });

test('records nothing until it is switched on, and nothing more after it is switched off', async () => {
  const { recording, notes, call } = recordingOf();
  await call({ text: 'one' }, done);
  recording.switch(true);
  await call({ text: 'two' }, done);
  recording.switch(false);
  await call({ text: 'three' }, done);
  expect(notes).toEqual(['1']);
  expect(recording.view).toMatchObject({ isOn: false, calls: 1 });
  expect(recording.find('two')).toEqual([1]);
  expect(recording.find('three')).toEqual([]);
});

test('keeps no known secret, no value under the name of one, and no text that looks like one', async () => {
  const { recording, call } = recordingOf('known-value-1');
  recording.switch(true);
  const token = `ghp_${'a1B2'.repeat(9)}`;
  await call(
    { text: 'known-value-1', password: 'hunter22', nested: [{ api_key: 'abcd1234' }], header: token },
    async () => {
      throw new Error(`it failed with known-value-1 and ${token}`);
    },
  )?.catch(() => undefined);
  const text = JSON.stringify(recording.list([1]));
  for (const secret of ['known-value-1', 'hunter22', 'abcd1234', token]) expect(text).not.toContain(secret);
  expect(text).toContain('***');
});

test('a record has the trace of the call, and is found by it', async () => {
  const { recording, call } = recordingOf();
  recording.switch(true);
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
  const others = [`00-${'0'.repeat(32)}-00f067aa0ba902b7-01`, `${traceparent}0`, traceparent.slice(1), 7, undefined];
  for (const each of [traceparent, ...others]) await call({}, done, { traceparent: each });
  expect(recording.list([1, 2, 3, 4, 5, 6]).map((record) => record.traceId)).toEqual([
    traceId,
    ...others.map(() => undefined),
  ]);
  expect(recording.find(traceId)).toEqual([1]);
});

test('is bounded in calls, in size and in each value', async () => {
  const { recording, call } = recordingOf();
  recording.switch(true);
  for (let index = 0; index < 500; index += 1) await call({ index }, done);
  expect(recording.view.calls).toBe(200);
  expect(recording.list([300])).toEqual([]);
  expect(recording.list([500])).toHaveLength(1);
  for (let index = 0; index < 100; index += 1) await call({ texts: ['x'.repeat(60_000), 'y'.repeat(60_000)] }, done);
  expect(recording.view.size).toBeLessThanOrEqual(recording.view.maxSize);
  expect(recording.view.calls).toBeLessThan(100);
  await call({ text: 'z'.repeat(200_000) }, done);
  expect(recording.list([601])[0]?.args.json).toBe('{"text":"(200,000 characters are not recorded)"}');
  await call({ texts: Array.from({ length: 10 }, () => 'x'.repeat(60_000)) }, done);
  await call({ texts: Array.from({ length: 200_000 }, () => 'x') }, done);
  await call(Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`k${index}`, index])), done);
  const left = 'It has more than 128 KiB or 4,000 parts.';
  expect(recording.list([602, 603, 604]).map(({ args }) => args)).toEqual([{ left }, { left }, { left }]);
});

test('a value that cannot be recorded does not fail the call', async () => {
  const { recording, call } = recordingOf();
  recording.switch(true);
  let nested: object = {};
  for (let depth = 0; depth < 100_000; depth += 1) nested = { nested };
  await expect(call(nested, done)).resolves.toEqual({ content: [] });
  expect(recording.list([1])[0]?.args).toEqual({ left: 'It is nested too deeply.' });
});

test('what is forgotten during a call does not come back at its end', async () => {
  const { recording, call } = recordingOf();
  recording.switch(true);
  const end = deferred();
  const called = call({ text: 'x' }, async () => {
    await end.promise;
    return { content: [] };
  });
  recording.forget();
  end.resolve();
  await called;
  expect(recording.view).toMatchObject({ calls: 0, size: 0 });
});

test('times the stages of a recorded call, and of no other', async () => {
  const { recording, call } = recordingOf();
  const telemetry = recording.timing(new LateTelemetry());
  const request = { kind: 'client', method: 'tools/call', params: {}, server: 'echo' } as const;
  expect(telemetry.begin(request)).toBeUndefined();
  recording.switch(true);
  await call({}, async () => {
    const operation = telemetry.begin(request);
    operation?.event('mcpx.server.awaited');
    operation?.sent(1, { transport: 'http', url: 'https://user:secret@mcp.example/path?token=1' });
    operation?.end({ result: {} });
    return { content: [] };
  });
  const stages = recording.list([1])[0]?.stages ?? [];
  expect(stages.map(({ atMs: _at, ...stage }) => stage)).toEqual([
    { stage: 'mcpx' },
    { stage: 'queue', server: 'echo' },
    { stage: 'start' },
    { stage: 'server', transport: 'http', host: 'mcp.example' },
    { stage: 'mcpx' },
  ]);
});

test('times a call for a client that asks, and records nothing of it', async () => {
  const { recording, notes, call } = recordingOf();
  const telemetry = recording.timing(new LateTelemetry());
  const next = async () => {
    const operation = telemetry.begin({ kind: 'client', method: 'tools/call', params: {}, server: 'echo' });
    operation?.sent(1, { transport: 'http', url: 'https://mcp.example/' });
    expect(operation?.meta).toEqual({ 'mcpx/stages': true }); // asks the next gateway, too
    operation?.end({ result: {} });
    return { content: [] as [] };
  };
  const result = await call({ text: 'x' }, next, { 'mcpx/stages': true });
  const stages = ['mcpx', 'queue', 'server', 'mcpx'].map((stage) => expect.objectContaining({ stage }));
  expect(result).toEqual({ content: [], _meta: { 'mcpx/stages': { tookMs: expect.any(Number), stages } } });
  expect(JSON.stringify(result)).not.toContain('mcp.example');
  expect([notes, recording.view.calls]).toEqual([[], 0]);
});
