import { CLIENT_CAPABILITIES_META_KEY, MissingRequiredClientCapabilityError } from '@modelcontextprotocol/server';
import { isRecord } from '@x/internal/json';
import {
  type AuditedLimit,
  auditOf,
  type CallRecord,
  type DecisionSink,
  decisionSink,
  interceptAnswer,
  interceptorsOf,
  type LateResult,
  type PartLookup,
  recordCall,
  type ToolSubject,
  type ToolView,
} from '@x/internal/views';
import type { RolePolicy } from '../../registry.js';
import type { ClientRequest, Era } from '../../server/methods/client-request.js';
import { methodNotFound } from '../../server/methods/results.js';
import { callOptionsOf } from '../../serving/client-calls.js';
import type { Audience } from '../audiences.js';
import { readRetry } from '../bridging/required-input.js';
import type { ClientServices } from '../client-services.js';
import type { Routed } from '../gateway-core.js';
import { rewriteContent, rewriteContents } from '../naming/gateway-names.js';
import { TASKS_EXTENSION } from '../tasks/task-messages.js';
import type { GatewayUpstream, UpstreamRequestOptions, UpstreamResult } from '../upstream.js';
import { withCacheHints } from './forwarded-result.js';
import { answerThrough, sendThrough } from './intercepted-send.js';
import { readServerPages } from './server-pages.js';
import { isUnknownNotification, type RoutedMessage, routeUnknown } from './unknown-methods.js';

type Params = Readonly<Record<string, unknown>>;
type Recorder = (limit?: AuditedLimit) => CallRecord | undefined;

export class ForwardedRequests {
  readonly #parts: ClientServices;
  readonly audit: ForwardingAudit;

  constructor(parts: ClientServices) {
    this.#parts = parts;
    this.audit = new ForwardingAudit(parts);
  }

  async taskRequest(method: string, params: Params, context: ClientRequest): Promise<UpstreamResult> {
    requireTasks(context);
    const { tasks } = this.#parts;
    const audience = this.#parts.audience();
    const { policy } = audience;
    if (method === 'tasks/list') {
      return tasks.list(policy, (upstream) => {
        const record: Recorder = (limit) => this.audit.listed(audience, method, upstream.name, limit);
        const { era } = upstream.session ?? {};
        return readServerPages(this.#parts, { method, items: 'tasks', upstream, audience, context, era, record });
      });
    }
    const record: Recorder = (limit) => this.audit.task(audience, method, tasks.toolOf(params.taskId), limit);
    const task = this.#findTask(params.taskId, policy, record);
    const request = { upstream: task.upstream, params: { ...params, taskId: task.taskId } };
    const result = await this.send(method, request, context, {
      audience,
      record,
      through: async (send, { handler, onDecision }) =>
        interceptTask(audience, { method, answer: await send(), tool: task.tool }, { handler, onDecision }),
    });
    return tasks.toClient(result, task);
  }

  /** @throws {ProtocolError} -32601 if there is no recipient. */
  async forward(method: string, params: Params, context: ClientRequest): Promise<UpstreamResult> {
    const { core } = this.#parts;
    const audience = this.#parts.audience();
    const routed = await this.#route(audience, method, params);
    if (routed === undefined) throw methodNotFound();
    const record: Recorder = (limit) => this.audit.forwarded(audience, method, routed.upstream.name, limit);
    const result = await this.send(method, routed, context, { audience, record });
    const uriOf = (uri: string) => core.policy.names.uri(routed.upstream.name, uri);
    return rewriteContent(rewriteContents(result, uriOf), uriOf);
  }

  async forwardNotification(method: string, params: Params): Promise<void> {
    if (!isUnknownNotification(method)) return;
    const audience = this.#parts.audience();
    const routed = await this.#route(audience, method, params);
    if (routed?.upstream.notify === undefined) return;
    const { upstream } = routed;
    const told = async () => {
      await upstream.notify?.(method, routed.params);
      return {};
    };
    await recordCall(told, this.audit.forwarded(audience, method, upstream.name));
  }

  async #route(audience: Audience, method: string, params: Params): Promise<RoutedMessage | undefined> {
    const { core, tasks } = this.#parts;
    let routed: RoutedMessage | undefined;
    try {
      routed = await routeUnknown(core, { method, params }, { audience, tasks });
    } finally {
      if (routed === undefined) await this.audit.refused(audience, { method, params });
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
  send(
    method: string,
    { upstream, params }: RoutedMessage,
    context: ClientRequest,
    { audience, record, through }: SendOptions,
  ): Promise<UpstreamResult> {
    // Tasks belong to the server's first session.
    const era = params.taskId === undefined ? context.era : upstream.session?.era;
    const work = async () => {
      const asked = { ...params, ...readRetry(context) };
      const recorded = record();
      const sent = { method, params: asked };
      const options = this.#optionsOf(context, upstream, era);
      const pending = { signal: context.signal, handler: options.handler, onDecision: decisionSink(recorded) };
      const answer = () =>
        through === undefined
          ? answerThrough(audience, upstream, sent, options)
          : through(() => sendThrough(audience, upstream, sent, options), pending);
      const result = await recordCall(answer, recorded);
      return withCacheHints(method, result, { isModern: context.era === 'modern' });
    };
    return this.#parts.answering.run(context, upstream, work, () => record('rate-limited'));
  }

  #optionsOf(context: ClientRequest, upstream: GatewayUpstream, era: Era | undefined): UpstreamRequestOptions {
    const inputRequired = context.era === 'modern' ? 'return' : 'answer';
    return { ...callOptionsOf(context), inputRequired, handler: this.#parts.bridge.handlerOf(context, upstream, era) };
  }
}

/** Sends a request through interceptors. */
export type Through = (
  send: () => Promise<UpstreamResult>,
  pending: LateResult & { readonly signal: AbortSignal; readonly onDecision: DecisionSink },
) => Promise<UpstreamResult>;

interface SendOptions {
  readonly audience: Audience;
  readonly record: Recorder;
  /** Default: the result passes the interceptors as a message. */
  readonly through?: Through;
}

interface TaskAnswer {
  readonly method: string;
  readonly answer: UpstreamResult;
  readonly tool: ToolView;
}

/** The result of a task is the result of its call. Revision 2026-07-28 has it in the task. */
async function interceptTask(
  { tools }: Audience,
  { method, answer, tool }: TaskAnswer,
  late: LateResult,
): Promise<UpstreamResult> {
  const interceptors = interceptorsOf(tools);
  if (interceptors === undefined) return answer;
  if (method === 'tasks/result') return interceptors.result(answer, tool, late);
  const { result, ...task } = answer;
  const shown = interceptAnswer(interceptors.parts, { method, server: tool.server }, task);
  return result === undefined ? shown : { ...shown, result: await interceptors.result(result, tool, late) };
}

/** @throws {MissingRequiredClientCapabilityError} without the tasks extension since revision 2026-07-28. */
function requireTasks(context: ClientRequest): void {
  if (context.era === 'legacy') return;
  const declared = context.envelope[CLIENT_CAPABILITIES_META_KEY];
  const extensions = isRecord(declared) ? declared.extensions : undefined;
  if (isRecord(extensions) && extensions[TASKS_EXTENSION] !== undefined) return;
  throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } });
}

interface Message {
  readonly method: string;
  readonly params: UpstreamResult;
}

class ForwardingAudit {
  readonly #parts: Pick<ClientServices, 'core' | 'tasks'>;

  constructor(parts: Pick<ClientServices, 'core' | 'tasks'>) {
    this.#parts = parts;
  }

  /** @param tool - The tool of the task's call; `undefined` if the task is not the requester's. */
  task(audience: Audience, method: string, tool: ToolSubject | undefined, limit?: AuditedLimit) {
    const lookup = tool && { server: tool.server, key: tool.tool, decision: audience.policy(tool) };
    return auditOf(audience.tools)?.passedOn(method, lookup ?? {}, limit);
  }

  about(audience: Audience, method: string, { upstream, key }: Routed, limit?: AuditedLimit): CallRecord | undefined {
    const { name: server } = upstream;
    const decision = audience.policy({ kind: 'resource', server, uri: key });
    return auditOf(audience.tools)?.passedOn(method, { server, key, decision }, limit);
  }

  forwarded(audience: Audience, method: string, server: string, limit?: AuditedLimit): CallRecord | undefined {
    return auditOf(audience.tools)?.passedOn(method, serverLookup(audience.policy, server), limit);
  }

  /** The request for one server's part of a list. */
  listed({ policy, tools }: Audience, method: string, server: string, limit?: AuditedLimit): CallRecord | undefined {
    return auditOf(tools)?.passedOn(method, { server, decision: policy({ kind: 'any', server }) }, limit);
  }

  /** Records the same event for a forbidden server as for an unknown method. */
  async refused(audience: Audience, message: Message): Promise<void> {
    const trail = auditOf(audience.tools);
    if (trail === undefined) return;
    const { core, tasks } = this.#parts;
    const whole = core.audiences.of({});
    const hidden = await routeUnknown(core, message, { audience: whole, tasks }).catch(() => undefined); // an unknown task
    const lookup = hidden === undefined ? {} : serverLookup(audience.policy, hidden.upstream.name);
    trail.passedOn(message.method, lookup.decision?.isAllowed === false ? lookup : {});
  }
}

function serverLookup(policy: RolePolicy, server: string): PartLookup {
  return { server, decision: policy({ kind: 'server', server }) };
}
