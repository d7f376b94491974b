import { describe, expect, test, vi } from 'vitest';
import { parseRecording, type RecordedMessage, Replay, recordingHeader } from '../../src/recording.js';

type Side = 'client' | 'server';

function recordingOf(...lines: readonly (readonly [Side, RecordedMessage])[]) {
  const text = [recordingHeader, ...lines.map(([from, message], at) => ({ at, from, message }))];
  return parseRecording(text.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

/** A client: sends a message, and has all that came back. */
function clientOf(replay: Replay) {
  const received: RecordedMessage[] = [];
  const link = { send: (message: object) => void received.push(message as RecordedMessage) };
  return { received, send: (message: RecordedMessage) => replay.receive(message, link) };
}

const call = (id: number, args: object, _meta?: object): RecordedMessage => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'sum', arguments: args, ...(_meta && { _meta }) },
});
const result = (id: unknown, value: unknown): RecordedMessage => ({ jsonrpc: '2.0', id, result: { value } });

describe('a replay', () => {
  test('matches a request by method and params in any order of keys, and equal ones in order; the last repeats', () => {
    const replay = new Replay(
      recordingOf(
        ['client', call(1, { a: 1, b: 2 })],
        ['server', result(1, 'first')],
        ['client', call(2, { a: 1, b: 2 })],
        ['server', result(2, 'second')],
        ['client', call(3, { a: 5 })],
        ['server', { jsonrpc: '2.0', id: 3, error: { code: -1, message: 'no' } }],
      ),
    );
    const { received, send } = clientOf(replay);
    send(call(10, { a: 5 }));
    for (const id of [11, 12, 13]) send(call(id, { b: 2, a: 1 }, { progressToken: id }));
    expect(received).toEqual([
      { jsonrpc: '2.0', id: 10, error: { code: -1, message: 'no' } },
      result(11, 'first'),
      result(12, 'second'),
      result(13, 'second'),
    ]);
  });

  test('answers the handshake of any client', () => {
    const initialize = (id: number, name: string) => ({
      jsonrpc: '2.0',
      id,
      method: 'initialize',
      params: { clientInfo: { name } },
    });
    const replay = new Replay(recordingOf(['client', initialize(0, 'recorder')], ['server', result(0, 'hello')]));
    const { received, send } = clientOf(replay);
    send(initialize('x' as never, 'other'));
    send({ jsonrpc: '2.0', id: 2, method: 'ping' });
    expect(received).toEqual([result('x', 'hello'), { jsonrpc: '2.0', id: 2, result: {} }]);
  });

  test('says what was asked and what it has', () => {
    const replay = new Replay(
      recordingOf(
        ['client', call(1, { a: 1 })],
        ['server', result(1, 1)],
        ['client', call(2, { a: 2 })],
        ['server', result(2, 2)],
      ),
    );
    const { received, send } = clientOf(replay);
    send(call(1, { a: 3 }));
    send({ jsonrpc: '2.0', id: 2, method: 'prompts/list' });
    expect(received).toMatchObject([
      {
        error: {
          code: -32_602,
          message:
            'The recording has no "tools/call" with {"name":"sum","arguments":{"a":3}}. It has {"name":"sum","arguments":{"a":1}}, {"name":"sum","arguments":{"a":2}}',
        },
      },
      { error: { code: -32_601, message: 'The recording has no "prompts/list". It has tools/call (2)' } },
    ]);
  });

  test('sends progress with the token of the request, and none without', async () => {
    const progress = (progressToken: unknown, step: number) => ({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken, progress: step },
    });
    const replay = new Replay(
      recordingOf(
        ['client', call(1, {}, { progressToken: 'a' })],
        ['client', call(2, { other: true })],
        ['server', progress('a', 1)],
        ['server', result(2, 'other')],
        ['server', progress('a', 2)],
        ['server', result(1, 'done')],
      ),
    );
    const { received, send } = clientOf(replay);
    send(call(7, {}, { progressToken: 'mine' }));
    await vi.waitUntil(() => received.length === 3);
    send(call(8, {}));
    expect(received).toEqual([progress('mine', 1), progress('mine', 2), result(7, 'done'), result(8, 'done')]);
  });

  test('sends server requests and waits for any response to each', async () => {
    const elicit = (id: unknown) => ({ jsonrpc: '2.0', id, method: 'elicitation/create', params: { message: 'Who?' } });
    const replay = new Replay(
      recordingOf(
        ['client', call(1, {})],
        ['server', elicit(0)],
        ['client', { jsonrpc: '2.0', id: 0, result: { action: 'accept' } }],
        ['server', result(1, 'done')],
      ),
    );
    const { received, send } = clientOf(replay);
    send(call(4, {}));
    expect(received).toEqual([elicit('replay-1')]);
    send({ jsonrpc: '2.0', id: 'replay-1', error: { code: -32_601, message: 'not me' } });
    await new Promise(setImmediate);
    expect(received.slice(1)).toEqual([result(4, 'done')]);
  });

  test('sends what followed a notification or a response once', async () => {
    const changed = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };
    const list = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/list' });
    const ready = { jsonrpc: '2.0', method: 'notifications/initialized' };
    const replay = new Replay(
      recordingOf(
        ['client', ready],
        ['server', changed],
        ['client', list(1)],
        ['server', result(1, [])],
        ['server', changed],
      ),
    );
    const { received, send } = clientOf(replay);
    for (const message of [ready, ready, list(5), list(6)]) send(message);
    expect(received).toEqual([changed, result(5, []), changed, result(6, [])]);
  });

  test('a cancelled request gets nothing more', async () => {
    const replay = new Replay(
      recordingOf(
        ['client', call(1, {})],
        ['server', { jsonrpc: '2.0', id: 9, method: 'roots/list' }],
        ['server', result(1, 'done')],
      ),
    );
    const { received, send } = clientOf(replay);
    send(call(1, {}));
    send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    await new Promise(setImmediate);
    expect(received).toHaveLength(1);
  });

  test('gives notifications of a subscription the id of the client', () => {
    const key = 'io.modelcontextprotocol/subscriptionId';
    const listen = (id: unknown) => ({
      jsonrpc: '2.0',
      id,
      method: 'subscriptions/listen',
      params: { notifications: {} },
    });
    const note = (method: string, id: unknown) => ({ jsonrpc: '2.0', method, params: { _meta: { [key]: id } } });
    const replay = new Replay(
      recordingOf(
        ['client', listen(1)],
        ['server', note('notifications/subscriptions/acknowledged', 1)],
        ['client', call(2, {})],
        ['server', note('notifications/tools/list_changed', 1)],
        ['server', result(2, 'done')],
      ),
    );
    const { received, send } = clientOf(replay);
    send(listen('mine'));
    send(call(5, {}));
    expect(received).toEqual([
      note('notifications/subscriptions/acknowledged', 'mine'),
      note('notifications/tools/list_changed', 'mine'),
      result(5, 'done'),
    ]);
  });
});

describe('a recording', () => {
  test.each([
    ['', 'Line 1 must be {"format":"mcp-recording","version":1}'],
    ['{"format":"mcp-recording","version":2}\n', 'Line 1 must be'],
    [`${JSON.stringify(recordingHeader)}\n{"from":"nobody"}\n`, 'Line 2 must be'],
    [`${JSON.stringify(recordingHeader)}\nnot json\n`, 'Line 2 must be'],
  ])('with the text %j is refused with the line that is wrong', (text, message) => {
    expect(() => parseRecording(text)).toThrow(message);
  });

  test('may end in the middle of a line, and at the limit of its recorder', () => {
    const line = JSON.stringify({ at: 1, from: 'client', message: call(1, {}) });
    const text = `${JSON.stringify(recordingHeader)}\n${line}\n{"at":2,"end":"limit"}\n{"at":3,"fr`;
    expect(parseRecording(text).messages).toHaveLength(1);
  });
});
