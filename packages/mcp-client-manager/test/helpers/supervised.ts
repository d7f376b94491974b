import { Emitter } from '@x/internal/events';
import { createMemoryStore } from '../../src/catalog-cache/memory-store.js';
import { ChangeFeed } from '../../src/changes.js';
import type { ManagerEvents } from '../../src/events.js';
import { resolveOptions } from '../../src/options.js';
import { ProcessOwner } from '../../src/process/process-owner.js';
import { resolveSpec } from '../../src/resolve-spec.js';
import { type SharedParts, type SupervisedServer, superviseServer } from '../../src/servers/supervised-server.js';
import type { ServerSpec } from '../../src/spec.js';
import { MachineSleep } from '../../src/supervisor/health/machine-sleep.js';
import { StartSlots } from '../../src/supervisor/state/start-slots.js';

export interface SupervisedServers extends AsyncDisposable {
  readonly parts: SharedParts;
  readonly servers: readonly SupervisedServer[];
}

/** What a manager holds, for tests that pass in a part of it. */
export function supervise(specs: readonly ServerSpec[], given: Partial<SharedParts> = {}): SupervisedServers {
  const policy = resolveOptions();
  const parts: SharedParts = {
    policy,
    processes: new ProcessOwner(policy),
    slots: new StartSlots({ concurrency: policy.startConcurrency }),
    sleep: new MachineSleep(),
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
