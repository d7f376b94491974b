import { optionTable } from '@x/internal/options';
import type { RegistryView } from '../views/view.js';
import type { WaitingState } from './answers/waiting-bytes.js';
import { registryServers } from './client-servers.js';
import { HttpHandler, type HttpHandlerOptions, handlerRows, type ViewOf } from './http-handler.js';
import { type Caller, CallerCheck, type CallerOptions, callerRows } from './requests/caller.js';
import { resolveServing, type ServingOptions, servingRows } from './serving-policy.js';
import { isWhole } from './whole-registry.js';

/** Access, rights and limits of an HTTP handler. */
export interface RegistryHandlerOptions<Who extends Caller = Caller>
  extends ServingOptions,
    CallerOptions<Who>,
    HttpHandlerOptions {}

const handlerOptions = optionTable<RegistryHandlerOptions>()({ ...servingRows, ...callerRows, ...handlerRows });

/** A registry on HTTP. */
export interface RegistryHandler extends AsyncDisposable {
  /** Handles one request. Never rejects. Bound: may be passed on without its object. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Pending bytes of clients that do not read, and the number of streams and responses that were ended for that. */
  readonly waiting: () => WaitingState;
  /** Ends all sessions and streams, aborts calls in progress, responds with 503 from then on. Idempotent. */
  readonly close: () => Promise<void>;
}

/**
 * Serves a view over Streamable HTTP, to clients of the 2026-07-28 revision and of earlier ones, at any path. For
 * Node's own server, wrap it with `toNodeListener`.
 *
 * A request needs an expected host name, no `Origin` or an expected one, and a token, on loopback too. Bodies are
 * bounded.
 *
 * @param view - The served view, or a function that chooses it by the caller. TypeScript reads that before the
 * options: for the caller to have the type that `verifyToken` returns, declare the type of its parameter, `(token:
 * string) => …`, or pass a function that has one, such as those of `@x/mcp-gateway/identity`. Otherwise only the
 * fields of `Caller` are known.
 * @throws {TypeError} naming the option that is misspelt or out of its bounds, or if access is not configured.
 */
export function createRegistryHandler<Who extends Caller = Caller>(
  view: RegistryView | ViewOf<Who>,
  options: RegistryHandlerOptions<Who>,
): RegistryHandler {
  // Callers come from the options' own verifyToken, so they have the type that the function accepts.
  const viewOf: ViewOf = typeof view === 'function' ? (view as ViewOf) : () => view;
  const resolved = handlerOptions.read(options as RegistryHandlerOptions);
  const callers = new CallerCheck(resolved);
  const isPublic = callers.isOpen && typeof view !== 'function' && isWhole(view);
  const policy = resolveServing(resolved);
  const servers = registryServers(policy, isPublic ? 'public' : 'private');
  const handler = new HttpHandler(viewOf, callers, { policy, servers }, resolved);
  const close = () => handler.close();
  return { ...handler.faces, close, [Symbol.asyncDispose]: close };
}
