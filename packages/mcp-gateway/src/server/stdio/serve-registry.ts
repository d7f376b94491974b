import { optionTable } from '@x/internal/options';
import { requireView } from '@x/internal/views';
import { isWhole, type RegistryView } from '../../registry.js';
import { type ServerRequestOptions, serverRequestRows } from '../../serving/asked-client.js';
import { resolveServing, type ServingOptions, servingRows } from '../../serving/serving-policy.js';
import { createSurface } from '../../serving/surface.js';
import { ClientView } from '../client-view.js';
import { ClientQuestions } from '../methods/client-questions.js';
import type { Era } from '../methods/client-request.js';
import type { Hold } from '../methods/client-server.js';
import { RegistryServer } from '../methods/registry-server.js';
import { openLink, type RegistryServing, type StdioOptions, serveConnection, stdioRows } from './stdio-connection.js';

/** Options of a stdio server: content, streams and limits. */
export interface ServeRegistryOptions extends ServingOptions, ServerRequestOptions, StdioOptions {}

const serveOptions = optionTable<ServeRegistryOptions>()({ ...servingRows, ...serverRequestRows, ...stdioRows });

/**
 * Serves a view as an MCP server over stdio. The client's first message decides the protocol revision.
 *
 * @throws {TypeError} naming the option that is unknown or out of bounds.
 */
export function serveRegistry(served: RegistryView, options?: ServeRegistryOptions): RegistryServing {
  requireView(served);
  const resolved = serveOptions.read(options);
  const policy = resolveServing(resolved);
  const view = new ClientView(createSurface(served, policy));
  const cacheScope = isWhole(served) ? 'public' : 'private';
  const questions = resolved.serverRequests === 'client' ? new ClientQuestions() : undefined;
  const open = (era: Era, hold: Hold) => {
    const asked = questions && { questions, owner: 'connection', lasts: true, hold };
    return new RegistryServer(view, policy, { era, cacheScope, asked });
  };
  return serveConnection(open, openLink(resolved), {
    onError: policy.onError,
    continues: (message) => questions?.isContinuedBy(message) ?? false,
    onOver: () => {
      questions?.close();
      view.end();
    },
  });
}
