import { Emitter } from '@x/internal/events';
import { createMemoryStore } from '../../src/catalog-cache/memory-store.js';
import { ChangeFeed } from '../../src/changes.js';
import type { ManagerEvents } from '../../src/events.js';
import { resolveOptions } from '../../src/options.js';
import { ProcessHost } from '../../src/process/process-host.js';
import { resolveSpec } from '../../src/resolve-spec.js';
import type { ServerSpec } from '../../src/spec.js';
import { type SharedParts, type SupervisedServer, superviseServer } from '../../src/supervised-server.js';
import { HostSleep } from '../../src/supervisor/host-sleep.js';
import { StartSlots } from '../../src/supervisor/start-slots.js';

export interface SupervisedServers extends AsyncDisposable {
  readonly parts: SharedParts;
  readonly servers: readonly SupervisedServer[];
}

/** What a manager holds, for tests that pass in a part of it. */
export function supervise(specs: readonly ServerSpec[], given: Partial<SharedParts> = {}): SupervisedServers {
  const policy = resolveOptions();
  const parts: SharedParts = {
    policy,
    processes: new ProcessHost(policy),
    slots: new StartSlots({ concurrency: policy.startConcurrency }),
    sleep: new HostSleep(),
    memory: createMemoryStore(undefined),
    hub: new Emitter<ManagerEvents>(),
    changes: new ChangeFeed(),
    ...given,
  };
  const servers = specs.map((spec) => superviseServer(resolveSpec(spec), parts));
  return {
    parts,
    servers,
    [Symbol.asyncDispose]: async () => {
      const how = { reason: 'manager-closed', calls: 'end' } as const;
      await Promise.all(servers.map((server) => server.close(how)));
      await parts.processes.close();
    },
  };
}
