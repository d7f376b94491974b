import { once } from 'node:events';
import { expectNoLeaks, findLeaks, testServer } from '@x/test-servers';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { processHost, startProcess } from '../../helpers/processes.js';

// Registered first, so it looks last: after what a test has started was stopped.
beforeEach(() => onTestFinished(expectNoLeaks));

describe.skipIf(process.platform !== 'linux')('a stop', () => {
  test('reports running processes outside the process group', async () => {
    const reports: (readonly number[])[] = [];
    const host = processHost();
    const { command, args } = testServer('leaves-grandchild', '--new-session');
    const onEscaped = (pids: readonly number[]): void => void reports.push(pids);
    const server = await startProcess(host, command, args, { onEscaped });
    const neighbour = await startProcess(host, command, args, { server: 'neighbour' });
    const [escaped] = await Promise.all([grandchildOf(server), grandchildOf(neighbour)]);
    await server.stop({ shutdownTimeoutMs: 1_000 });
    expect(reports).toEqual([[escaped]]);
    await neighbour.stop({ shutdownTimeoutMs: 1_000 });
    expect(reports).toHaveLength(1);
    for (const { pid } of await findLeaks()) process.kill(pid, 'SIGKILL');
  });

  test('has nothing to report when all is gone', async () => {
    const { command, args } = testServer('leaves-grandchild', '--stubborn');
    const server = await startProcess(processHost(), command, args, { onEscaped: () => expect.unreachable() });
    await grandchildOf(server);
    await server.stop({ shutdownTimeoutMs: 1_000 });
  });
});

/** Asks the server for its grandchild's process id. */
async function grandchildOf({ stdin, stdout }: Awaited<ReturnType<typeof startProcess>>): Promise<number> {
  const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'grandchild', arguments: {} } };
  stdin.write(`${JSON.stringify(request)}\n`);
  const [chunk] = await once(stdout, 'data');
  return Number(JSON.parse(String(chunk)).result.content[0].text);
}
