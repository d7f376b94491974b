import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Control, DaemonControl } from '../../src/control/control.js';
import { openConnection } from '../../src/daemon/connection/open-connection.js';
import { createRemoteControl } from '../../src/daemon/connection/remote-control.js';
import { type ControlServer, serveControl } from '../../src/daemon/connection/serve-control.js';
import { fakeControl } from './fake-control.js';

/** A control behind a real socket, and one that reaches it from outside. */
export interface ServedControl extends AsyncDisposable {
  readonly remote: DaemonControl;
  readonly server: ControlServer;
  readonly socket: string;
  readonly token: string;
  readonly connect: (options?: {
    readonly token?: string;
    readonly signal?: AbortSignal;
  }) => ReturnType<typeof openConnection>;
}

export async function servedControl(control: Control & Partial<DaemonControl>): Promise<ServedControl> {
  const folder = await mkdtemp(join(tmpdir(), 'mcpx-socket-'));
  const socket = join(folder, 'control.sock');
  const token = randomBytes(32).toString('hex');
  const server = await serveControl(fakeControl(control), {
    socket,
    token,
    version: '1.2.3',
    redactor: { redact: (text) => text },
  });
  const connect: ServedControl['connect'] = (options = {}) => openConnection({ socket, token, ...options });
  const remote = createRemoteControl(await connect(), ({ signal }) => connect({ ...(signal && { signal }) }));
  return {
    remote,
    server,
    socket,
    token,
    connect,
    [Symbol.asyncDispose]: async () => {
      await remote[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
