import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { SourceCallOptions } from '@x/internal/contracts';
import {
  type AuditedLimit,
  type CallRecord,
  decisionSink,
  type InterceptorDecision,
  interceptAnswer,
  interceptedOptions,
  interceptorsOf,
  recordCall,
} from '@x/internal/views';
import type { ClientRequest } from '../../server/methods/client-request.js';
import { resourceNotFound } from '../../server/methods/results.js';
import { callOptionsOf } from '../../serving/client-calls.js';
import type { Audience } from '../audiences.js';
import type { BridgedRequest } from '../bridging/client-bridge.js';
import type { ClientServices } from '../client-services.js';
import type { Through } from '../forwarding/forwarded-requests.js';
import { forwardedResult } from '../forwarding/forwarded-result.js';
import { answerThrough } from '../forwarding/intercepted-send.js';
import type { Routed } from '../gateway-core.js';
import { rewriteContents, rewriteMessages } from '../naming/gateway-names.js';
import type { GatewayUpstream, UpstreamResult } from '../upstream.js';
import { listResult } from './merged-list.js';
import { type AskedCompletion, PartAudit } from './part-audit.js';
import type { PartKind } from './part-kinds.js';

type Params = Readonly<Record<string, unknown>>;
type Reference = { type: 'ref/prompt'; name: string } | { type: 'ref/resource'; uri: string };
/** Records that a request runs, or that a limit refused it. */
type Recorder = (limit?: AuditedLimit) => CallRecord | undefined;

export interface CompletionParams extends Params {
  readonly ref: Reference;
  readonly argument: { readonly name: string; readonly value: string };
  readonly context?: { readonly arguments?: Params | undefined } | undefined;
}

const METHODS: Readonly<Record<PartKind, string>> = {
  resources: 'resources/list',
  resourceTemplates: 'resources/templates/list',
  prompts: 'prompts/list',
};

export class PartRequests {
  readonly #parts: ClientServices;
  readonly #audit: PartAudit;

  constructor(parts: ClientServices) {
    this.#parts = parts;
    this.#audit = new PartAudit(parts.core);
  }

  async list(kind: PartKind, cursor: string | undefined): Promise<UpstreamResult> {
    const { core } = this.#parts;
    const audience = this.#parts.audience();
    const listing = await core.list(kind, audience, { isNextPage: cursor !== undefined });
    const { names, serving } = core.policy;
    const page = listResult(kind, listing, { names, pageSize: serving.pageSize, cursor });
    return interceptAnswer(interceptorsOf(audience.tools)?.parts, { method: METHODS[kind], server: undefined }, page);
  }

  async read(uri: string, context: ClientRequest): Promise<UpstreamResult> {
    const audience = this.#parts.audience();
    const found = await this.#lookUp(uri, audience, context);
    if (found === undefined) return this.#readUnowned(audience, uri, context);
    const isOwnUri = found.key === uri;
    const request = { method: 'resources/read', upstream: found.upstream, params: { uri: found.key } };
    const through: Through = (send, pending) => {
      const read = { ...pending, server: found.upstream.name, uri: found.key };
      return interceptorsOf(audience.tools)?.read(read, send) ?? send();
    };
    const record: Recorder = (limit) => this.#audit.read(audience, uri, found, limit);
    const result = await this.#bridged(request, context, { record, through });
    this.#parts.core.recordRead(audience, found);
    // An app that reads by its server's own URI gets those.
    return isOwnUri ? result : rewriteContents(result, (own) => this.#uriOf(found.upstream, own));
  }

  /** A resource that no server has, or none that the audience may use: an interceptor may answer. */
  #readUnowned(audience: Audience, uri: string, context: ClientRequest): Promise<UpstreamResult> {
    const missing = resourceNotFound(uri);
    const decisions: InterceptorDecision[] = [];
    const onDecision = (decision: InterceptorDecision) => void decisions.push(decision);
    const pending = { signal: context.signal, onDecision, server: undefined, uri };
    const interceptors = interceptorsOf(audience.tools);
    const work = async () => {
      try {
        if (interceptors?.parts.interceptors.some(({ read }) => read) !== true) throw missing;
        const result = await interceptors.read(pending, () => Promise.reject(missing));
        this.#audit.readUnowned(audience, uri, decisions)?.settled(result);
        return forwardedResult(result, { isModern: context.era === 'modern' });
      } catch (error) {
        if (error === missing) await this.#audit.refusedRead(audience, uri);
        else this.#audit.readUnowned(audience, uri, decisions)?.failed(error);
        throw error;
      }
    };
    return this.#parts.answering.run(context, undefined, work);
  }

  async prompt(
    asked: { readonly name: string; readonly args: Params | undefined },
    context: ClientRequest,
  ): Promise<UpstreamResult> {
    const audience = this.#parts.audience();
    const found = await this.#findPrompt(asked.name, () => this.#audit.refusedPrompt(audience, asked));
    const params = { name: found.key, ...(asked.args && { arguments: asked.args }) };
    const request = { method: 'prompts/get', upstream: found.upstream, params };
    const record: Recorder = (limit) => this.#audit.gotPrompt(audience, asked, found, limit);
    const through: Through = (send, pending) => {
      const prompt = { ...pending, server: found.upstream.name, prompt: found.key, args: asked.args ?? {} };
      return interceptorsOf(audience.tools)?.getPrompt(prompt, send) ?? send();
    };
    const result = await this.#bridged(request, context, { record, through });
    return rewriteMessages(result, (uri) => this.#uriOf(found.upstream, uri));
  }

  async complete(params: CompletionParams, context: ClientRequest): Promise<UpstreamResult> {
    const { ref } = params;
    const isPrompt = ref.type === 'ref/prompt';
    const audience = this.#parts.audience();
    const asked = askedCompletion(params);
    const onMissing = () => this.#audit.refusedCompletion(audience, asked);
    const found = await (isPrompt ? this.#findPrompt(ref.name, onMissing) : this.#find(ref.uri, context, onMissing));
    const { upstream, key } = found;
    const request = {
      ref: isPrompt ? { ...ref, name: key } : { ...ref, uri: key },
      argument: params.argument,
      ...(params.context && { context: params.context }),
    };
    const record: Recorder = (limit) => this.#audit.completed(audience, asked, found, limit);
    const work = async () => {
      const options = { ...callOptionsOf(context), handler: this.#parts.bridge.handlerOf(context, upstream) };
      const sent = { method: 'completion/complete', params: request };
      const result = await recordCall(() => answerThrough(audience, upstream, sent, options), record());
      return forwardedResult(result, { isModern: context.era === 'modern' });
    };
    return this.#parts.answering.run(context, upstream, work, () => record('rate-limited'));
  }

  async #find(uri: string, context: ClientRequest, onMissing: () => Promise<void>): Promise<Routed> {
    const found = await this.#lookUp(uri, this.#parts.audience(), context);
    if (found !== undefined) return found;
    await onMissing();
    return this.#parts.answering.run(context, undefined, () => {
      throw resourceNotFound(uri);
    });
  }

  /** A resource by its public URI; for an app also by its server's own. */
  async #lookUp(uri: string, audience: Audience, context: ClientRequest): Promise<Routed | undefined> {
    const { core } = this.#parts;
    const found = await core.findResource(uri, audience);
    if (found !== undefined || !this.#parts.showsApps(context)) return found;
    return core.findAppResource(uri, audience);
  }

  async #findPrompt(name: string, onMissing: () => Promise<void>): Promise<Routed> {
    const found = await this.#parts.core.findPrompt(name, this.#parts.audience());
    if (found !== undefined) return found;
    await onMissing();
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Prompt not found', { name });
  }

  /** Sends a request during which the server may send its own. */
  #bridged(
    { method, upstream, params }: { method: string; upstream: GatewayUpstream; params: Params },
    context: ClientRequest,
    { record, through }: { readonly record: Recorder; readonly through: Through },
  ): Promise<UpstreamResult> {
    const { answering, bridge } = this.#parts;
    const { tools } = this.#parts.audience();
    const asked: BridgedRequest = { method, name: upstream.name, args: params, upstream, isAllowed: true };
    const send = async ({ params: further, ...options }: SourceCallOptions) => {
      const recorded = record();
      const pending = { signal: context.signal, onDecision: decisionSink(recorded) };
      const shown = interceptedOptions(interceptorsOf(tools)?.parts, upstream.name, options);
      const request = () => upstream.request(method, { ...params, ...further }, shown);
      const result = await recordCall(() => through(request, pending), recorded);
      return forwardedResult(result, { isModern: context.era === 'modern' });
    };
    const work = () => bridge.run(asked, context, send);
    return answering.run(context, upstream, work, () => record('rate-limited'));
  }

  #uriOf({ name }: GatewayUpstream, uri: string): string {
    return this.#parts.core.policy.names.uri(name, uri);
  }
}

function askedCompletion({ ref, argument, context }: CompletionParams): AskedCompletion {
  const args = { ...context?.arguments, [argument.name]: argument.value };
  return ref.type === 'ref/prompt' ? { name: ref.name, args } : { uri: ref.uri, args };
}
