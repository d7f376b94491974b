import type { SubscriptionFilter } from '@modelcontextprotocol/server';
import { peekTool } from '@x/internal/views';
import { callForClient, callOptionsOf } from '../../serving/client-calls.js';
import { introducing, type ServingPolicy } from '../../serving/serving-policy.js';
import { watchListing } from '../../serving/tool-listing.js';
import type { ClientView } from '../client-view.js';
import type { ClientRequest, Era, Fields } from './client-request.js';
import { type CacheHint, ClientServer, type MethodTable, type Notify } from './client-server.js';
import { callFault, cursorFault } from './protocol-methods.js';
import { wrongParams } from './results.js';
import { toolPage, toolResult } from './tool-shapes.js';

interface ServerScope {
  readonly era: Era;
  readonly cacheScope: CacheHint['cacheScope'];
}

/** Serves the tools of a view to one client. */
export class RegistryServer extends ClientServer {
  override readonly methods: MethodTable<this> = registryMethods;
  readonly view: ClientView;
  readonly pageSize: number;

  constructor(view: ClientView, policy: ServingPolicy, { era, cacheScope }: ServerScope) {
    const listHint = { ttlMs: policy.listTtlMs, cacheScope };
    super(era, {
      introduction: introducing(policy, view.current),
      declare: () => ({ tools: { listChanged: true } }),
      listHint,
    });
    this.view = view;
    this.pageSize = policy.pageSize;
    if (era === 'legacy') view.watch(() => this.notify('notifications/tools/list_changed'));
  }

  override follow(_wanted: SubscriptionFilter, notify: Notify): Disposable {
    return watchListing(this.view.current, () => notify('notifications/tools/list_changed'));
  }
}

const registryMethods: MethodTable<RegistryServer> = {
  'tools/list': {
    isCacheable: true,
    fault: cursorFault,
    answer: ({ view, pageSize, era }, { cursor }) =>
      toolPage(view.current, { pageSize, cursor: cursor as string | undefined, era }),
  },
  'tools/call': { fault: callFault, answer: ({ view }, params, request) => callTool(view, params, request) },
};

async function callTool(held: ClientView, { name, arguments: args }: Fields, request: ClientRequest): Promise<Fields> {
  const view = held.current;
  const tool = String(name);
  const answer = await callForClient(view, tool, args as Fields | undefined, callOptionsOf(request));
  if (answer.kind === 'unknown-tool') throw wrongParams(answer.error.message);
  return toolResult(answer.result, { era: request.era, outputSchema: peekTool(view, tool)?.outputSchema });
}
