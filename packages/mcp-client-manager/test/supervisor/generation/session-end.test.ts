import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { SessionRenewals } from '../../../src/supervisor/generation/generations.js';
import { type ScriptedHttp, type ScriptedHttpOptions, startScriptedHttp } from '../../helpers/scripted-http.js';
import { failureOf, managerOf, phasesOf, stateOf, textOf } from '../../helpers/servers.js';

let web: ScriptedHttp;
afterEach(() => web?.close());

async function managerOfWeb(options?: ScriptedHttpOptions): Promise<ReturnType<typeof managerOf>> {
  web = await startScriptedHttp(options);
  return managerOf({ name: 'web', url: web.url, protocol: 'legacy', restart: { maxAttempts: 1 } });
}

const asked = (method: string): number => web.log.filter((line) => line === method).length;

test('opens a new session at once with a server that forgot the old one, without a failure', async () => {
  await using manager = await managerOfWeb();
  const server = manager.server('web');
  await server.start();
  const phases = phasesOf(manager, 'web');
  for (let round = 1; round <= 8; round += 1) {
    web.sessions.clear();
    expect(textOf(await server.callTool('act'))).toBe('done');
    expect(server.lifecycle).toMatchObject({ phase: 'ready', failures: 0, generation: round + 1 });
  }
  expect(new Set(phases)).toEqual(
    new Set(['stopping', 'queued', 'starting spawn', 'starting handshake', 'starting tools', 'ready']),
  );
});

test('its tools stay offered meanwhile', async () => {
  await using manager = await managerOfWeb();
  const server = manager.server('web');
  await server.start();
  const told: number[] = [];
  manager.events.on('tools-changed', ({ tools }) => told.push(tools));
  web.sessions.clear();
  await server.callTool('act');
  expect(told).toEqual([]);
});

test('limits the renewals of a server that forgets each session at once', async () => {
  const forget = (request: IncomingMessage, response: ServerResponse): boolean => {
    // Right before each call: every session is old from the third request on.
    if (request.method === 'POST' && asked('tools/list') > asked('tools/call')) web.sessions.clear();
    return response.headersSent;
  };
  await using manager = await managerOfWeb({ onRequest: forget });
  const server = manager.server('web');
  await server.start();
  expect(await failureOf(server.callTool('act'))).toMatchObject({ code: 'outcome-unknown' });
  expect(asked('tools/call')).toBe(2);
  let last: unknown;
  for (let count = 0; count < 12; count += 1) last = await failureOf(server.callTool('act'));
  expect(last).toMatchObject({ code: expect.stringMatching(/^(busy|start-failed)$/) });
  expect(asked('initialize')).toBeLessThan(20);
});

test('a token that has run out is no failure when the next session gets in with another', async () => {
  let isRefused = false;
  const refuse = (request: IncomingMessage, response: ServerResponse): boolean => {
    if (!isRefused || request.method !== 'POST') return false;
    isRefused = false;
    response.writeHead(401).end();
    return true;
  };
  await using manager = await managerOfWeb({ onRequest: refuse });
  const server = manager.server('web');
  await server.start();
  for (let round = 1; round <= 4; round += 1) {
    isRefused = true;
    expect(await failureOf(server.callTool('act'))).toMatchObject({ code: 'auth-required' });
    await stateOf(manager, 'web', ({ phase, generation }) => phase === 'ready' && generation === round + 1);
  }
  expect(server.lifecycle).toMatchObject({ failures: 0, signInRetries: 0 });
});

test('a server that is gone counts the attempts to reach it', async () => {
  await using manager = await managerOfWeb();
  const server = manager.server('web');
  await server.start();
  await web.close();
  void failureOf(server.callTool('act'));
  expect(await stateOf(manager, 'web', 'backoff')).toMatchObject({ failures: 1 });
});

describe('renewals', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('there are ten in ten seconds, and each comes back ten seconds later', () => {
    const renewals = new SessionRenewals();
    const taken = (): number => Array.from({ length: 20 }, () => renewals.tryUse()).filter(Boolean).length;
    expect(taken()).toBe(10);
    vi.advanceTimersByTime(9_999);
    expect(taken()).toBe(0);
    vi.advanceTimersByTime(1);
    expect(taken()).toBe(10);
  });
});
