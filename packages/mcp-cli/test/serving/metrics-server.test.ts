import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openMetricsServer } from '../../src/serving/metrics-server.js';

test('connections that send no request leave their slots to a scraper', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mcpx-metrics-'));
  const tokenFile = join(folder, 'token');
  await writeFile(tokenFile, 'the-token-of-the-scraper\n', { mode: 0o600 });
  try {
    await using server = await openMetricsServer({ port: 0, tokenFile }, { text: () => '' });
    const { port } = new URL(server.url);
    const slow = Array.from({ length: 20 }, () => connect(Number(port), '127.0.0.1'));
    await Promise.all(slow.map((socket) => once(socket.resume(), 'connect')));
    for (const socket of slow) socket.on('error', () => undefined).write('GET /metrics HTTP/1.1\r\n');
    await expect(fetch(server.url)).rejects.toThrow();
    const start = performance.now();
    await Promise.all(slow.map((socket) => once(socket, 'close')));
    expect(performance.now() - start).toBeLessThan(6_000);
    expect((await fetch(server.url)).status).toBe(401);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
