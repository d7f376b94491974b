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

/** Audience of the connection, as in `registry.view()`, and its streams. Default: everything, without restrictions. */
export interface ServeGatewayOptions extends ViewOptions, StdioOptions {}

/** The registry checks the options of the view. */
const serveOptions = optionTable<ServeGatewayOptions>()({
  ...stdioRows,
  role: { kind: 'other' },
  principal: { kind: 'other' },
  servers: { kind: 'other' },
});

/** Serves one connection, to a client of the 2026-07-28 revision or of an earlier one: the first message decides. */
export function serveGateway(core: GatewayCore, options: ServeGatewayOptions): RegistryServing {
  // A view option that is present as `undefined` is a mistake of the caller, so it stays for the registry's check.
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
