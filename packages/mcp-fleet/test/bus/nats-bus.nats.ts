import { randomUUID } from 'node:crypto';
import { startNatsServer } from '@x/test-servers';
import type { FleetBus } from '../../src/bus.js';
import { openNatsBus } from '../../src/nats.js';
import { describeBus } from './bus-conformance.js';
import { type CuttableProxy, openProxy } from './cuttable-proxy.js';

describeBus('a bus on NATS', async () => {
  const server = await startNatsServer();
  const proxies = new Map<FleetBus, CuttableProxy>();
  return {
    openFleet() {
      const fleet = randomUUID();
      return {
        async connect(node) {
          const proxy = await openProxy(server.port);
          const bus = await openNatsBus({ servers: proxy.url, fleet, node });
          proxies.set(bus, proxy);
          return bus;
        },
        cut: (bus) => proxies.get(bus)?.cut(),
        heal: (bus) => proxies.get(bus)?.heal(),
      };
    },
    stop: () => server.kill(),
    start: (keys) => server.restart({ stored: keys }),
    async [Symbol.asyncDispose]() {
      await Promise.all(Array.from(proxies.values(), (proxy) => proxy[Symbol.asyncDispose]()));
      await server.stop();
    },
  };
});
