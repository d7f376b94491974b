import { expectNoLeaks, type HttpRefusal, httpRefusals, startHttpRefusing, stdioRefusals } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { RawServer } from './helpers/raw-server.js';

afterEach(expectNoLeaks);

const statuses: Partial<Record<HttpRefusal, number>> = {
  '202': 202,
  '204': 204,
  '404': 404,
  '405': 405,
  '500': 500,
  '501': 501,
};

async function ask(url: string, method: string, signal?: AbortSignal): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', id: 7, method }),
    signal: signal ?? null,
  });
}

test.each(Object.keys(httpRefusals) as HttpRefusal[])(
  'the HTTP server refuses an unknown method by: %s',
  async (refusal) => {
    await using server = await startHttpRefusing(refusal);
    const initialized = await ask(server.url, 'initialize');
    expect(await initialized.json()).toMatchObject({ id: 7, result: { protocolVersion: '2025-06-18' } });
    if (refusal === 'connection dropped')
      return void (await expect(ask(server.url, 'unknown')).rejects.toThrow(TypeError));
    const answer = ask(server.url, 'unknown');
    if (refusal === 'silence') {
      await ask(server.url, 'ping'); // sent later, answered before
      expect(server.log).toEqual(['initialize', 'unknown', 'ping']);
      server.answerLate();
      return void expect(await (await answer).json()).toMatchObject({ id: 7, result: {} });
    }
    const { status } = await answer;
    await (await answer).text();
    expect(status).toBe(statuses[refusal] ?? (refusal.startsWith('400') ? 400 : 200));
  },
);

test.each(stdioRefusals)('the stdio server refuses an unknown method by: %s', async (refusal) => {
  await using server = new RawServer('refuses-unknown', '--refusal', refusal);
  await server.initialize();
  server.send({ jsonrpc: '2.0', id: 'x', method: 'unknown' });
  if (refusal === 'exit') return void expect(await server.exited).toEqual({ code: 1, signal: null });
  await server.request('ping');
  expect(server.lines.slice(1, -1)).toEqual(
    {
      'error -32601': ['{"jsonrpc":"2.0","id":"x","error":{"code":-32601,"message":"Method not found"}}'],
      'error of another code': ['{"jsonrpc":"2.0","id":"x","error":{"code":-32600,"message":"Method not found"}}'],
      'error without an id': ['{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"Method not found"}}'],
      'a line of text': ['What?'],
      silence: [],
    }[refusal],
  );
});
