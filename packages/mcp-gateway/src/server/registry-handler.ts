import { optionTable } from '@x/internal/options';
import type { RegistryView } from '../views/view.js';
import type { WaitingState } from './answers/waiting-bytes.js';
import { registryServers } from './client-servers.js';
import { HttpHandler, type HttpHandlerOptions, handlerRows, type ViewOf } from './http-handler.js';
import { type Caller, CallerCheck, type CallerOptions, callerRows } from './requests/caller.js';
import { resolveServing, type ServingOptions, servingRows } from './serving-policy.js';
import { isWhole } from './whole-registry.js';

/** Who may ask, what they are shown, and how much of it at once. */
export interface RegistryHandlerOptions<Who extends Caller = Caller>
  extends ServingOptions,
    CallerOptions<Who>,
    HttpHandlerOptions {}

const handlerOptions = optionTable<RegistryHandlerOptions>()({ ...servingRows, ...callerRows, ...handlerRows });

/** A registry on HTTP. */
export interface RegistryHandler extends AsyncDisposable {
  /** Answers one request. Never rejects. May be passed on without its object. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** What waits right now for clients that do not read, and how many streams and answers were ended for that. */
  readonly waiting: () => WaitingState;
  /** Ends all sessions and streams, aborts calls under way, answers 503 from then on. May be called twice. */
  readonly close: () => Promise<void>;
}

/**
 * Serves a view over Streamable HTTP, to clients of the 2026-07-28 revision and of those before it, at whatever path it is
 * put. For Node's own server, wrap it with `toNodeListener`.
 *
 * A request has to come to an expected host name, from no web page or an expected one, and bring a token, on loopback too.
 * Bodies are bounded.
 *
 * @param view - What is served, or a function that chooses it by who asks. TypeScript reads that before the options: for
 *   the caller to have the type that `verifyToken` gives, name the type of its parameter, `(token: string) => …`, or pass a
 *   function that has one, such as those of `@x/mcp-gateway/identity`. Else only the fields of `Caller` are known.
 * @throws {TypeError} naming the option that is misspelt or out of its bounds, or if it is not said who may send requests.
 */
export function createRegistryHandler<Who extends Caller = Caller>(
  view: RegistryView | ViewOf<Who>,
  options: RegistryHandlerOptions<Who>,
): RegistryHandler {
  // Callers come from the options' own verifyToken, so they are what the function takes.
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
