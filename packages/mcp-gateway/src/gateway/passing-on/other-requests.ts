import { type AuditedLimit, type CallRecord, recordCall } from '@x/internal/views';
import type { RolePolicy } from '../../registry.js';
import type { ClientRequest } from '../../server/methods/client-request.js';
import { methodNotFound } from '../../server/methods/responses.js';
import { callOptionsOf } from '../../serving/client-calls.js';
import type { Audience } from '../audiences.js';
import { readRetry } from '../bridging/retry.js';
import type { ClientParts } from '../client-parts.js';
import { isModern } from '../client-request.js';
import { rewriteContent, rewriteContents } from '../naming/rewrite-content.js';
import { requireTasks } from '../tasks/task-methods.js';
import type { GatewayUpstream, UpstreamRequestOptions, UpstreamResult } from '../upstream.js';
import { isNotice } from './notices.js';
import { type RoutedMessage, routeOther } from './other-methods.js';
import { PassOnAudit } from './pass-on-audit.js';
import { withCacheHints } from './passed-result.js';

type Params = Readonly<Record<string, unknown>>;
type Recorder = (limit?: AuditedLimit) => CallRecord | undefined;

export class OtherRequests {
  readonly #parts: ClientParts;
  readonly #audit: PassOnAudit;

  constructor(parts: ClientParts) {
    this.#parts = parts;
    this.#audit = new PassOnAudit(parts);
  }

  async askTask(method: string, params: Params, context: ClientRequest): Promise<UpstreamResult> {
    requireTasks(context);
    const { tasks } = this.#parts;
    const audience = this.#parts.audience();
    const { policy } = audience;
    if (method === 'tasks/list') {
      return tasks.list(policy, (upstream) => this.#optionsOf(context, upstream));
    }
    const record: Recorder = (limit) => this.#audit.task(audience, method, tasks.toolOf(params.taskId), limit);
    const task = this.#findTask(params.taskId, policy, record);
    const request = { upstream: task.upstream, params: { ...params, taskId: task.taskId } };
    const result = await this.#send(method, request, context, record);
    return tasks.toClient(result, task);
  }

  /** @throws {ProtocolError} -32601 if there is no recipient. */
  async passOn(method: string, params: Params, context: ClientRequest): Promise<UpstreamResult> {
    const { core } = this.#parts;
    const audience = this.#parts.audience();
    const routed = await this.#route(audience, method, params);
    if (routed === undefined) throw methodNotFound();
    const record: Recorder = (limit) => this.#audit.passedOn(audience, method, routed.upstream.name, limit);
    const result = await this.#send(method, routed, context, record);
    const uriOf = (uri: string) => core.policy.names.uri(routed.upstream.name, uri);
    return rewriteContent(rewriteContents(result, uriOf), uriOf);
  }

  async noteOn(method: string, params: Params): Promise<void> {
    if (!isNotice(method)) return;
    const audience = this.#parts.audience();
    const routed = await this.#route(audience, method, params);
    if (routed?.upstream.notify === undefined) return;
    const { upstream } = routed;
    const told = async () => {
      await upstream.notify?.(method, routed.params);
      return {};
    };
    await recordCall(told, this.#audit.passedOn(audience, method, upstream.name));
  }

  async #route(audience: Audience, method: string, params: Params): Promise<RoutedMessage | undefined> {
    const { core, tasks } = this.#parts;
    let routed: RoutedMessage | undefined;
    try {
      routed = await routeOther(core, { method, params }, { audience, tasks });
    } finally {
      if (routed === undefined) await this.#audit.refused(audience, { method, params });
    }
    return routed;
  }

  #findTask(id: unknown, policy: RolePolicy, record: Recorder) {
    try {
      return this.#parts.tasks.find(id, policy);
    } catch (error) {
      record()?.failed(error); // allowed, but its server is gone
      throw error;
    }
  }

  /** Makes the cache scope private: other callers may have other roles. */
  #send(
    method: string,
    { upstream, params }: RoutedMessage,
    context: ClientRequest,
    record: Recorder,
  ): Promise<UpstreamResult> {
    const work = async () => {
      const asked = { ...params, ...readRetry(context) };
      const result = await recordCall(
        () => upstream.request(method, asked, this.#optionsOf(context, upstream)),
        record(),
      );
      return withCacheHints(method, result, { isModern: isModern(context) });
    };
    return this.#parts.answering.run(context, upstream, work, () => record('rate-limited'));
  }

  #optionsOf(context: ClientRequest, upstream: GatewayUpstream): UpstreamRequestOptions {
    const inputRequired = isModern(context) ? 'return' : 'answer';
    return { ...callOptionsOf(context), inputRequired, handler: this.#parts.bridge.handlerOf(context, upstream) };
  }
}
