import { expectNoLeaks, startReportsTrace } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { RawServer } from './helpers/raw-server.js';

afterEach(expectNoLeaks);

test('reports-trace returns the trace context of a call', async () => {
  await using server = new RawServer('reports-trace');
  await server.initialize();
  const _meta = { traceparent: '00-1', tracestate: 'a=1', baggage: 'b=2', other: 1 };
  const { result } = await server.request('tools/call', { name: 'trace', arguments: {}, _meta });
  const text = '{"traceparent":"00-1","tracestate":"a=1","baggage":"b=2"}';
  expect(result).toMatchObject({ content: [{ type: 'text', text }] });
});

test('reports-trace listens on the loopback with the argument http', async () => {
  await using server = await startReportsTrace();
  expect(new URL(server.url).hostname).toBe('127.0.0.1');
});
