import { createMemoryBroker, type MemoryBus } from '../../src/memory.js';
import { describeBus } from './bus-conformance.js';

describeBus('a bus in memory', async () => {
  let broker = createMemoryBroker();
  return {
    openFleet() {
      broker = createMemoryBroker();
      return {
        connect: async (node) => broker.connect({ node }),
        cut: (bus) => (bus as MemoryBus).disconnect(),
        heal: (bus) => (bus as MemoryBus).reconnect(),
      };
    },
    stop: async () => broker.stop(),
    start: async (keys) => broker.start({ keys }),
    async [Symbol.asyncDispose]() {},
  };
});
