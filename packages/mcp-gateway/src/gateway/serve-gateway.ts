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

/** Whom the connection is served to, as in `registry.view()`, and what it goes over. Default: everything, to everybody. */
export interface ServeGatewayOptions extends ViewOptions, StdioOptions {}

/** The registry checks what concerns the view. */
const serveOptions = optionTable<ServeGatewayOptions>()({
  ...stdioRows,
  role: { kind: 'other' },
  principal: { kind: 'other' },
  servers: { kind: 'other' },
});

/** Serves one connection, to a client of the 2026-07-28 revision or of those before it: the first message decides. */
export function serveGateway(core: GatewayCore, options: ServeGatewayOptions): RegistryServing {
  // An option of the view that is there as `undefined` is a fault of the caller's, so it stays there.
  const { stdin, stdout, transport, maxQueuedBytes, maxStallMs, ...audience } = options;
  const link = openLink(serveOptions.read(options));
  const owner = `connection:${crypto.randomUUID()}`;
  const view = new HeldView(core.audiences.of(audience).view);
  const connection = new GatewayConnection(core, view, { owner });
  return serveConnection((era) => connection.open(era), link, {
    onError: core.policy.serving.onError,
    onOver: () => {
      connection.end();
      core.tasks.forget(owner); // nobody else ever has this connection
      view.end();
    },
  });
}
