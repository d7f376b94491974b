import type { SubscriptionFilter } from '@modelcontextprotocol/server';
import type { SourceCallOptions } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import { interceptAnswer, interceptorsOf, passingOn, peekTool } from '@x/internal/views';
import type { ClientBridge } from '../../gateway/bridging/client-bridge.js';
import { forwardedResult } from '../../gateway/forwarding/forwarded-result.js';
import { callForClient, callOptionsOf } from '../../serving/client-calls.js';
import { introducing, type ServingPolicy } from '../../serving/serving-policy.js';
import { watchListing } from '../../serving/tool-listing.js';
import type { ClientView } from '../client-view.js';
import type { ClientQuestions, QuestionScope } from './client-questions.js';
import type { ClientRequest, Era, Fields } from './client-request.js';
import { type CacheHint, ClientServer, type MethodTable, type Notify } from './client-server.js';
import { callFault, cursorFault } from './protocol-methods.js';
import { wrongParams } from './results.js';
import { toolPage, toolResult } from './tool-shapes.js';

interface ServerScope {
  readonly era: Era;
  readonly cacheScope: CacheHint['cacheScope'];
  /** Absent if clients are not asked. */
  readonly asked?: (QuestionScope & { readonly questions: ClientQuestions; readonly lasts: boolean }) | undefined;
}

/** Serves the tools of a view to one client. */
export class RegistryServer extends ClientServer {
  override readonly methods: MethodTable<this> = registryMethods;
  readonly view: ClientView;
  readonly pageSize: number;
  readonly #asked: ServerScope['asked'];

  constructor(view: ClientView, policy: ServingPolicy, { era, cacheScope, asked }: ServerScope) {
    const listHint = { ttlMs: policy.listTtlMs, cacheScope };
    super(era, {
      introduction: introducing(policy, view.current),
      declare: () => ({ tools: { listChanged: true } }),
      listHint,
    });
    this.view = view;
    this.pageSize = policy.pageSize;
    this.#asked = asked;
    if (era === 'legacy') view.watch(() => this.notify('notifications/tools/list_changed'));
  }

  /** `undefined` if the client is not asked, or declares nothing for which it could be. */
  bridgeFor(request: ClientRequest): ClientBridge | undefined {
    if (this.#asked === undefined) return undefined;
    const bridge = this.#asked.questions.bridgeFor(this, this.view.current, this.#asked);
    const { elicitation, sampling } = bridge.capabilitiesOf(request);
    return isRecord(elicitation) || isRecord(sampling) ? bridge : undefined;
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
  'tools/call': {
    fault: callFault,
    mayRequestInput: true,
    answer: (server, params, request) => callTool(server, params, request),
  },
};

async function callTool(
  server: RegistryServer,
  { name, arguments: args }: Fields,
  request: ClientRequest,
): Promise<Fields> {
  const view = server.view.current;
  const tool = String(name);
  const send = async (options: SourceCallOptions): Promise<Fields> => {
    const answer = await callForClient(view, tool, args as Fields | undefined, passingOn(options));
    if (answer.kind === 'unknown-tool') throw wrongParams(answer.error.message);
    const { result } = answer;
    const shown = peekTool(view, tool);
    if (options.inputRequired === 'return' && result.resultType === 'input_required') {
      const asking = { method: 'tools/call', server: shown?.server };
      return forwardedResult(interceptAnswer(interceptorsOf(view)?.parts, asking, result), { isModern: true });
    }
    return toolResult(result, { era: request.era, outputSchema: shown?.outputSchema });
  };
  const bridge = server.bridgeFor(request);
  if (bridge === undefined) return send(callOptionsOf(request));
  const isAllowed = peekTool(view, tool) !== undefined;
  return bridge.run({ method: 'tools/call', name: tool, args, upstream: undefined, isAllowed }, request, send);
}
