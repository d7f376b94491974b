import { pause } from '@x/internal/async';
import type { Replay } from '@x/internal/recording';
import { type FakeLife, type RecordedCall, RpcFault, toolPage } from './fake-life.js';
import type { FakeReply, FakeSignal } from './fake-server-script.js';

type RequestId = string | number;
type Params = Readonly<Record<string, unknown>>;

export interface FakeMessage {
  readonly id?: RequestId | undefined;
  readonly method?: string | undefined;
  readonly params?: Params | undefined;
}

export interface Link {
  send(message: object): void;
}

/** Actions of a fake server on its process or connection. Carriers omit those that `requirePlayable` excludes. */
interface FakeBody {
  die(how: number | FakeSignal): void;
  closeOutput?(): void;
  /** Answers the request of `link` with "no such session". */
  forgetSession?(link: Link): void;
  makeNoise?(): void;
}

interface FakeConversationOptions {
  readonly life: FakeLife;
  readonly body: FakeBody;
  readonly outside: Link;
}

const legacyVersions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];
const modernVersion = '2026-07-28';
const subscriptionKey = 'io.modelcontextprotocol/subscriptionId';
const serverInfoKey = 'io.modelcontextprotocol/serverInfo';
const capabilities = { tools: { listChanged: true } };
const serverInfo = { name: 'fake-server', version: '1.0.0' };
const toolsChanged = 'notifications/tools/list_changed';

export class FakeConversation {
  readonly #life: FakeLife;
  readonly #body: FakeBody;
  readonly #outside: Link;
  readonly #running = new Map<RequestId, AbortController>();
  readonly #end = new AbortController();
  #isLegacy = false;

  constructor({ life, body, outside }: FakeConversationOptions) {
    this.#life = life;
    this.#body = body;
    this.#outside = outside;
  }

  receive(message: FakeMessage, link: Link): void {
    const { id, method, params = {} } = message;
    if (this.#life.replay) this.#replay(this.#life.replay, message, link);
    else if (this.#life.start === 'hangs' || method === undefined) return;
    else if (id !== undefined) void this.#answer(id, method, params, link);
    else if (method === 'notifications/initialized') this.#announceTo(this.#outside, {});
    else if (method === 'notifications/cancelled') this.#running.get(params.requestId as RequestId)?.abort();
  }

  close(): void {
    this.#end.abort();
    for (const cancel of this.#running.values()) cancel.abort();
  }

  #replay(replay: Replay, message: FakeMessage, link: Link): void {
    const { method, params = {} } = message;
    if (method === 'tools/call') this.#life.record(String(params.name), (params.arguments ?? {}) as Params);
    const whileOpen = (to: Link): Link => ({
      send: (sent) => {
        if (!this.#end.signal.aborted) to.send(sent);
      },
    });
    replay.receive({ ...message }, whileOpen(link), whileOpen(this.#outside));
  }

  async #answer(id: RequestId, method: string, params: Params, link: Link): Promise<void> {
    try {
      const result = await this.#resultOf(id, method, params, link);
      if (result && !this.#end.signal.aborted) link.send({ jsonrpc: '2.0', id, result: this.#inEra(method, result) });
    } catch (error) {
      if (!(error instanceof RpcFault)) throw error;
      if (!this.#end.signal.aborted) link.send({ jsonrpc: '2.0', id, error: error.error });
    }
  }

  async #resultOf(id: RequestId, method: string, params: Params, link: Link): Promise<object | undefined> {
    switch (method) {
      case 'initialize':
        return this.#initialize(params);
      case 'server/discover':
        return this.#discover();
      case 'subscriptions/listen':
        return this.#subscribe(id, params, link);
      case 'ping':
        return {};
      case 'tools/list':
        return toolPage(this.#life, params.cursor);
      case 'tools/call':
        return this.#call(id, params, link);
      default:
        throw notFound(method);
    }
  }

  async #initialize({ protocolVersion }: Params): Promise<object> {
    this.#refuse();
    if (this.#life.plan.era === 'modern') {
      const data = { supported: [modernVersion], requested: protocolVersion };
      throw new RpcFault({ code: -32_022, message: 'Unsupported protocol version', data });
    }
    this.#isLegacy = true;
    await this.#startSlowly();
    const requested = String(protocolVersion);
    const version = legacyVersions.includes(requested) ? requested : legacyVersions.at(-1);
    return { protocolVersion: version, capabilities, serverInfo };
  }

  async #discover(): Promise<object> {
    this.#refuse();
    if (this.#life.plan.era === 'legacy') throw notFound('server/discover');
    await this.#startSlowly();
    return { supportedVersions: [modernVersion], capabilities, _meta: { [serverInfoKey]: serverInfo } };
  }

  #refuse(): void {
    const { start } = this.#life;
    if (typeof start === 'object' && 'refusal' in start) throw new RpcFault(start.refusal);
  }

  async #startSlowly(): Promise<void> {
    const { start } = this.#life;
    if (typeof start === 'object' && 'handshakeDelayMs' in start)
      await waitFor(start.handshakeDelayMs, this.#end.signal);
  }

  /** The stream stays open for notifications, without a response. */
  #subscribe(id: RequestId, { notifications }: Params, link: Link): undefined {
    if (this.#life.plan.era === 'legacy') throw notFound('subscriptions/listen');
    const params = { _meta: { [subscriptionKey]: id } };
    const acknowledged = 'notifications/subscriptions/acknowledged';
    link.send({ jsonrpc: '2.0', method: acknowledged, params: { ...params, notifications } });
    this.#announceTo(link, { params });
    return undefined;
  }

  #announceTo(link: Link, extra: { readonly params?: object }): void {
    const stop = this.#life.onToolsChanged(() => link.send({ jsonrpc: '2.0', method: toolsChanged, ...extra }));
    this.#end.signal.addEventListener('abort', stop, { once: true });
  }

  async #call(id: RequestId, params: Params, link: Link): Promise<object | undefined> {
    const args = (params.arguments ?? {}) as Params;
    const call = this.#life.record(String(params.name), args);
    if (!call) throw new RpcFault({ code: -32_602, message: `Unknown tool: ${String(params.name)}` });
    const { answer } = call;
    if (typeof answer === 'object' && 'exit' in answer) return void this.#body.die(answer.exit);
    if (answer === 'close-output') return void this.#body.closeOutput?.();
    if (answer === 'forget-session') return void this.#body.forgetSession?.(link);
    const cancel = this.#begin(id, call);
    if (answer === 'hang') return undefined;
    this.#body.makeNoise?.();
    const reply = answer === 'echo' ? {} : answer;
    await this.#delay(reply, { link, token: tokenOf(params), signal: cancel.signal });
    if (cancel.signal.aborted) return undefined;
    this.#running.delete(id);
    this.#life.change(reply);
    return resultOf(reply, args);
  }

  #begin(id: RequestId, call: RecordedCall): AbortController {
    const cancel = new AbortController();
    cancel.signal.addEventListener('abort', () => {
      this.#running.delete(id);
      this.#life.cancelled(call.id);
    });
    this.#running.set(id, cancel);
    return cancel;
  }

  async #delay(
    { afterMs = 0, progress: total = 0 }: FakeReply,
    { link, token, signal }: { link: Link; token: RequestId | undefined; signal: AbortSignal },
  ): Promise<void> {
    for (let progress = 1; progress <= total && !signal.aborted; progress += 1) {
      await waitFor(afterMs / (total + 1), signal);
      if (token === undefined || signal.aborted) continue;
      const params = { progressToken: token, progress, total };
      link.send({ jsonrpc: '2.0', method: 'notifications/progress', params });
    }
    await waitFor(afterMs / (total + 1), signal);
  }

  #inEra(method: string, result: object): object {
    if (this.#isLegacy) return result;
    const isCacheable = method === 'server/discover' || method === 'tools/list';
    return { resultType: 'complete', ...(isCacheable && { ttlMs: 0, cacheScope: 'private' }), ...result };
  }
}

function resultOf({ text, result, error, sizeBytes }: FakeReply, args: Params): object {
  if (error) throw new RpcFault(error);
  if (result) return result;
  const content = sizeBytes === undefined ? (text ?? JSON.stringify(args)) : 'x'.repeat(sizeBytes);
  return { content: [{ type: 'text', text: content }] };
}

function notFound(method: string): RpcFault {
  return new RpcFault({ code: -32_601, message: `Method not found: ${method}` });
}

async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await pause(ms, signal).catch(() => undefined);
}

function tokenOf({ _meta }: Params): RequestId | undefined {
  return (_meta as { readonly progressToken?: RequestId } | undefined)?.progressToken;
}
