import { optionTable } from '@x/internal/options';
import { requireView } from '@x/internal/views';
import { isWhole, type RegistryView } from '../registry.js';
import { type ServerRequestOptions, serverRequestRows } from '../serving/asked-client.js';
import { resolveServing, type ServingOptions, type ServingPolicy, servingRows } from '../serving/serving-policy.js';
import { ClientView } from './client-view.js';
import type { DrainOptions } from './drain.js';
import { HttpHandler, type HttpHandlerOptions, handlerRows, type ViewOf } from './http-handler.js';
import { ClientQuestions, type QuestionScope } from './methods/client-questions.js';
import type { ClientServers, Hold } from './methods/client-server.js';
import { RegistryServer } from './methods/registry-server.js';
import { type Caller, CallerCheck, type CallerOptions, callerRows } from './requests/caller.js';
import type { WaitingState } from './responses/waiting-bytes.js';

/** Options of an HTTP handler: access, content and limits. */
export interface RegistryHandlerOptions<Who extends Caller = Caller>
  extends ServingOptions,
    CallerOptions<Who>,
    ServerRequestOptions,
    HttpHandlerOptions {}

const handlerOptions = optionTable<RegistryHandlerOptions>()({
  ...servingRows,
  ...serverRequestRows,
  ...callerRows,
  ...handlerRows,
});

/** An HTTP handler that serves a registry. */
export interface RegistryHandler extends AsyncDisposable {
  /** Handles one request. Never rejects. Needs no `this`. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Pending bytes, and the number of streams and responses that ended because clients did not read. */
  readonly waiting: () => WaitingState;
  /**
   * Refuses new requests with 503, also at `healthPath`, and waits for those in progress. Their clients can still answer
   * server requests. Resolves to whether all have finished. Call `close()` next.
   */
  readonly drain: (options?: DrainOptions) => Promise<boolean>;
  /** Ends sessions and streams, aborts calls in progress, then responds with 503. Idempotent. */
  readonly close: () => Promise<void>;
}

/**
 * Serves a view over Streamable HTTP, at any path, to clients of all protocol revisions. For Node's own server, wrap it
 * with `toNodeListener`.
 *
 * A request needs a host name of `allowedHosts`, an `Origin` of `allowedOrigins` or none, and a token, on the loopback
 * too.
 *
 * @param view - The view, or a function from a caller to a view. It gets the type that `verifyToken` returns if that
 * declares its parameter, `(token: string) => …`, or is from `@x/mcp-gateway/identity`; otherwise `Caller`.
 * @throws {TypeError} naming the option that is unknown or out of bounds, or if access is not configured.
 */
export function createRegistryHandler<Who extends Caller = Caller>(
  view: RegistryView | ViewOf<Who>,
  options: RegistryHandlerOptions<Who>,
): RegistryHandler {
  // Callers come from the verifyToken of these options, so the function accepts them.
  if (typeof view !== 'function') requireView(view);
  const viewOf: ViewOf = typeof view === 'function' ? checkedViews(view as ViewOf) : () => view;
  const resolved = handlerOptions.read(options as RegistryHandlerOptions);
  const callers = new CallerCheck(resolved);
  const isPublic = callers.isOpen && typeof view !== 'function' && isWhole(view);
  const policy = resolveServing(resolved);
  const questions = resolved.serverRequests === 'client' ? new ClientQuestions() : undefined;
  const scope = { isAnonymous: callers.isOpen, hasOneCaller: callers.hasOneCaller };
  const servers = registryServers(policy, { cacheScope: isPublic ? 'public' : 'private', questions, scope });
  const handler = new HttpHandler(viewOf, callers, { policy, servers }, resolved);
  const close = async () => {
    await handler.close();
    questions?.close();
  };
  return { ...handler.entrances, close, [Symbol.asyncDispose]: close };
}

/** @throws {TypeError} for a promise, and anything else that is not a view. */
function checkedViews(viewOf: ViewOf): ViewOf {
  return (caller) => {
    const view = viewOf(caller);
    if (view !== undefined) requireView(view);
    return view;
  };
}

interface RegistryScope {
  readonly cacheScope: 'public' | 'private';
  readonly questions: ClientQuestions | undefined;
  readonly scope: Pick<QuestionScope, 'isAnonymous' | 'hasOneCaller'>;
}

function registryServers(policy: ServingPolicy, { cacheScope, questions, scope }: RegistryScope): ClientServers {
  const askedBy = (owner: string, lasts: boolean, hold?: Hold) =>
    questions && { ...scope, questions, owner, lasts, hold };
  return {
    forRequest: (view, owner, hold) =>
      new RegistryServer(new ClientView(view), policy, {
        era: 'modern',
        cacheScope,
        asked: askedBy(owner, false, hold),
      }),
    forSession: (view, owner) => ({
      server: new RegistryServer(view, policy, { era: 'legacy', cacheScope, asked: askedBy(owner, true) }),
      end: () => undefined,
    }),
    continues: (message) => questions?.isContinuedBy(message) ?? false,
  };
}
