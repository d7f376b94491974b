import { type DaemonControl, mapMethods } from '../../src/control/control.js';
import { methods } from '../../src/control/methods.js';

/** A control that does what a test gives it, and refuses every other request. Its streams are empty. */
export function fakeControl(parts: Partial<DaemonControl>): DaemonControl {
  const refuse = async (): Promise<never> => {
    throw new Error('the test did not foresee this');
  };
  return {
    ...mapMethods(methods, (_name, { streams }) => (streams ? nothing : refuse)),
    daemonInfo: async () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
    ...parts,
  };
}

async function* nothing(): AsyncGenerator<never, void, undefined> {}
