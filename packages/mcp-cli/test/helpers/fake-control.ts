import type { Control } from '../../src/control/control.js';

/** A control that does what a test gives it, and nothing else. */
export function fakeControl(parts: Partial<Control>): Control {
  const refuse = async (): Promise<never> => {
    throw new Error('the test did not foresee this');
  };
  return {
    status: refuse,
    start: refuse,
    stop: refuse,
    restart: refuse,
    health: refuse,
    discover: refuse,
    capabilities: refuse,
    search: refuse,
    describe: refuse,
    call: refuse,
    listResources: refuse,
    listResourceTemplates: refuse,
    readResource: refuse,
    listPrompts: refuse,
    getPrompt: refuse,
    roles: refuse,
    mayUse: refuse,
    explain: refuse,
    pins: refuse,
    pinDiff: refuse,
    approvePins: refuse,
    revokePins: refuse,
    setTrust: refuse,
    requirements: refuse,
    logs: () => nothing(),
    events: () => nothing(),
    daemonInfo: async () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
    ...parts,
  };
}

async function* nothing(): AsyncGenerator<never, void, undefined> {}
