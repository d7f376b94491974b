import { expect, test } from 'vitest';
import { RequestPath } from '../../src/gateway/request-path.js';
import type { HttpAsk } from '../../src/server/http-messages.js';

const askWith = (headers: Readonly<Record<string, string>>) =>
  ({ header: (name: string) => headers[name] }) as unknown as HttpAsk;
const send = (from: RequestPath, to: RequestPath, caller = 'anybody') =>
  to.refusal(askWith(from.headersFor('http://to')), caller);
const marksOf = (path: RequestPath) => path.headersFor('http://to')['x-mcp-gateways']?.split(', ') ?? [];

test('detects a loop with any number of client gateways', () => {
  const [a, b] = [new RequestPath(), new RequestPath()];
  for (let count = 0; count < 100; count++) expect(send(new RequestPath(), a)).toBeUndefined();
  expect(marksOf(a)).toHaveLength(64);
  expect(send(a, b)).toBeUndefined();
  expect(send(b, a)?.status).toBe(508);
});

test('forwarded marks do not displace the mark of a direct client', () => {
  const [a, b, other] = [new RequestPath(), new RequestPath(), new RequestPath()];
  for (let count = 0; count < 100; count++) send(new RequestPath(), other);
  send(a, b);
  send(other, b);
  expect(send(b, a)?.status).toBe(508);
});

test('refuses a chain that leads back at its first gateway', () => {
  const chain = Array.from({ length: 4 }, () => new RequestPath());
  for (const gateway of chain) for (let count = 0; count < 10; count++) send(new RequestPath(), gateway);
  for (const [index, gateway] of chain.slice(1).entries()) {
    expect(send(chain[index] as RequestPath, gateway)).toBeUndefined();
  }
  expect(send(chain.at(-1) as RequestPath, chain[0] as RequestPath)?.status).toBe(508);
});

test('many marks of one caller displace none of another', () => {
  const [a, b] = [new RequestPath(), new RequestPath()];
  send(a, b, 'a gateway');
  for (let count = 0; count < 100; count++) send(new RequestPath(), b, 'a client that makes up marks');
  expect(send(b, a)?.status).toBe(508);
});

test('bounds the marks of many callers', () => {
  const gateway = new RequestPath();
  for (let caller = 0; caller < 500; caller++) send(new RequestPath(), gateway, `caller ${caller}`);
  expect(marksOf(gateway)).toHaveLength(64);
});
