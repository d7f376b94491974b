import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Control } from '../../src/control/control.js';
import type { DaemonControl } from '../../src/daemon/dispatch.js';
import { openConnection } from '../../src/daemon/open-connection.js';
import { createRemoteControl, type RemoteControl } from '../../src/daemon/remote-control.js';
import { type ControlServer, serveControl } from '../../src/daemon/serve-control.js';

/** A control behind a real socket, and one that reaches it from outside. */
export interface ServedControl extends AsyncDisposable {
  readonly remote: RemoteControl;
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
  const whole: DaemonControl = {
    reload: async () => ({}),
    dashboard: async () => ({ isOpened: false }),
    shutDown: async () => undefined,
    joinFleet: () => Promise.reject(new Error('the test did not foresee this')),
    leaveFleet: async () => ({}),
    fleetSources: async function* () {},
    callSource: () => Promise.reject(new Error('the test did not foresee this')),
    ...control,
  };
  const server = await serveControl(whole, { socket, token, version: '1.2.3', redactor: { redact: (text) => text } });
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
