import { expect, test } from 'vitest';
import { LoopDetector } from '../../src/gateway/loop-detector.js';
import type { HttpRequest } from '../../src/server/http-messages.js';

const askWith = (headers: Readonly<Record<string, string>>) =>
  ({ header: (name: string) => headers[name] }) as unknown as HttpRequest;
const send = (from: LoopDetector, to: LoopDetector, caller = 'anybody') =>
  to.refusal(askWith(from.headersFor('http://to')), caller);
const marksOf = (path: LoopDetector) => path.headersFor('http://to')['x-mcp-gateways']?.split(', ') ?? [];

test('detects a loop with any number of client gateways', () => {
  const [a, b] = [new LoopDetector(), new LoopDetector()];
  for (let count = 0; count < 100; count++) expect(send(new LoopDetector(), a)).toBeUndefined();
  expect(marksOf(a)).toHaveLength(64);
  expect(send(a, b)).toBeUndefined();
  expect(send(b, a)?.status).toBe(508);
});

test('forwarded marks do not displace the mark of a direct client', () => {
  const [a, b, other] = [new LoopDetector(), new LoopDetector(), new LoopDetector()];
  for (let count = 0; count < 100; count++) send(new LoopDetector(), other);
  send(a, b);
  send(other, b);
  expect(send(b, a)?.status).toBe(508);
});

test('refuses a chain that leads back at its first gateway', () => {
  const chain = Array.from({ length: 4 }, () => new LoopDetector());
  for (const gateway of chain) for (let count = 0; count < 10; count++) send(new LoopDetector(), gateway);
  for (const [index, gateway] of chain.slice(1).entries()) {
    expect(send(chain[index] as LoopDetector, gateway)).toBeUndefined();
  }
  expect(send(chain.at(-1) as LoopDetector, chain[0] as LoopDetector)?.status).toBe(508);
});

test('many marks of one caller displace none of another', () => {
  const [a, b] = [new LoopDetector(), new LoopDetector()];
  send(a, b, 'a gateway');
  for (let count = 0; count < 100; count++) send(new LoopDetector(), b, 'a client that makes up marks');
  expect(send(b, a)?.status).toBe(508);
});

test('bounds the marks of many callers', () => {
  const gateway = new LoopDetector();
  for (let caller = 0; caller < 500; caller++) send(new LoopDetector(), gateway, `caller ${caller}`);
  expect(marksOf(gateway)).toHaveLength(64);
});
