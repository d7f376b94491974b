import { inspect } from 'node:util';
import { serveOnLoopback } from '@x/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { failureOf, managerOf } from '../../helpers/servers.js';

/** A server until the end of the test. */
async function serving(answer: Parameters<typeof serveOnLoopback>[0]): ReturnType<typeof serveOnLoopback> {
  const server = await serveOnLoopback(answer);
  onTestFinished(() => server.close());
  return server;
}

const secret = 's3cr3t-sentinel';

test.each([
  ['an error', 500, 'text/plain'],
  ['a refusal of both transports', 404, 'text/plain'],
  ['an error of JSON', 502, 'application/json'],
  ['no JSON', 200, 'application/json'],
  ['no page of the protocol', 200, 'text/html'],
])('shows nothing of a handshake response with %s that repeats the request', async (_, status, type) => {
  const web = await serving((request, response) => {
    request.resume();
    response.writeHead(status, { 'content-type': type }).end(`${request.headers.authorization} ${request.url}`);
  });
  for (const protocol of ['auto', 'legacy', '2026-07-28'] as const) {
    await using manager = managerOf({
      name: 'web',
      url: `${web.origin}/api/${secret}/mcp?key=${secret}`,
      headers: { authorization: `Bearer ${secret}` },
      protocol,
      restart: { onFailure: false },
    });
    const states: unknown[] = [];
    manager.events.on('server-state', ({ state }) => void states.push(state));
    const failure = await failureOf(manager.server('web').start());
    expect(failure).toMatchObject({ code: 'start-failed', message: expect.stringContaining('"web"') });
    const everything = inspect([failure, states, manager.status()], {
      depth: Number.POSITIVE_INFINITY,
      showHidden: true,
    });
    expect(everything).not.toContain(secret);
  }
});

test('does not quote an invalid header', async () => {
  const web = await serving((_, response) => void response.writeHead(404).end());
  const headers = { authorization: `Bearer ${secret}\nx` };
  await using manager = managerOf({ name: 'web', url: web.origin, headers, restart: { onFailure: false } });
  const failure = await failureOf(manager.server('web').start());
  expect(inspect(failure, { depth: Number.POSITIVE_INFINITY })).not.toContain(secret);
});
