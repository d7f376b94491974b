import { optionTable } from '@x/internal/options';
import type { ViewOptions } from '@x/internal/views';
import { HeldView } from '../server/held-view.js';
import {
  openLink,
  type RegistryServing,
  type StdioOptions,
  serveConnection,
  stdioRows,
} from '../server/stdio/stdio-connection.js';
import { GatewayConnection } from './connection.js';
import type { GatewayCore } from './gateway-core.js';

/** Options of a stdio connection: its streams and limits, and its view as in `registry.view()`. Default: everything. */
export interface ServeGatewayOptions extends ViewOptions, StdioOptions {}

/** The registry checks the options of the view. */
const serveOptions = optionTable<ServeGatewayOptions>()({
  ...stdioRows,
  role: { kind: 'other' },
  principal: { kind: 'other' },
  servers: { kind: 'other' },
});

/** Serves one connection. The client's first message decides the protocol revision. */
export function serveGateway(core: GatewayCore, options: ServeGatewayOptions): RegistryServing {
  // Keeps a view option that is present as `undefined`, which the registry refuses as a mistake.
  const { stdin, stdout, transport, maxQueuedBytes, maxStallMs, maxRequests, ...audience } = options;
  const link = openLink(serveOptions.read(options));
  const owner = `connection:${crypto.randomUUID()}`;
  const view = new HeldView(core.audiences.of(audience).view);
  const connection = new GatewayConnection(core, view, { owner });
  return serveConnection((era) => connection.open(era), link, {
    onError: core.policy.serving.onError,
    onOver: () => {
      connection.end();
      core.tasks.forget(owner); // no other client ever has this connection
      view.end();
    },
  });
}
