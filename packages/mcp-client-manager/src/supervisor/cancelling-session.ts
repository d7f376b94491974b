import { onAbort } from '../abort-listener.js';
import {
  type CallHandle,
  type OutgoingCall,
  type Session,
  SessionLostError,
  type ToolCallResult,
  type ToolProgress,
} from '../session/session.js';

/** A session whose requests can be given up all at once before it is closed. */
export interface CancellingSession {
  readonly session: Session;
  /**
   * Tells the server that nobody waits any more for what it has been sent and has not answered. Each of those fails as if
   * the connection had gone away, and nothing is sent in this session any more.
   */
  readonly cancelAll: () => void;
}

/** A request that can be given up, with the reason that it fails with. */
interface UnderWay {
  giveUp(reason: SessionLostError): void;
}

/** Whatever is closed without a word goes on at the server, over HTTP above all: its end does not show there. */
export function cancellingSession(inner: Session): CancellingSession {
  const underWay = new Set<UnderWay>();
  let isOver = false;

  async function during<Result>(signal: AbortSignal, send: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const end = new AbortController();
    const request: UnderWay = { giveUp: (reason) => end.abort(reason) };
    const ignoreSignal = onAbort(signal, () => end.abort(signal.reason));
    if (signal.aborted) end.abort(signal.reason);
    underWay.add(request);
    try {
      return await send(end.signal);
    } finally {
      underWay.delete(request);
      ignoreSignal();
    }
  }

  const { lane } = inner;
  const overrides: Partial<PropertyDescriptorMap> = {
    isOpen: { get: () => !isOver && inner.isOpen },
    callTool: {
      value: ((tool, args, options) =>
        during(options.signal, (signal) =>
          inner.callTool(tool, args, { ...options, signal }),
        )) satisfies Session['callTool'],
    },
    request: {
      value: ((method, params, options) =>
        during(options.signal, (signal) =>
          inner.request(method, params, { ...options, signal }),
        )) satisfies Session['request'],
    },
    lane: { value: lane && { send: (call: OutgoingCall) => new LaneCall(call, underWay).sendIn(lane) } },
  };
  return {
    session: Object.create(inner, overrides as PropertyDescriptorMap) as Session,
    cancelAll: () => {
      isOver = true;
      const reason = new SessionLostError('The server is being stopped', { sent: true });
      for (const request of [...underWay]) request.giveUp(reason);
    },
  };
}

/** A call in the short lane, which knows its end and may be ended. */
class LaneCall implements OutgoingCall, CallHandle, UnderWay {
  readonly tool: string;
  readonly args: OutgoingCall['args'];
  readonly meta: OutgoingCall['meta'];
  readonly wantsProgress: boolean;
  readonly #call: OutgoingCall;
  readonly #underWay: Set<UnderWay>;
  #handle: CallHandle | undefined;

  constructor(call: OutgoingCall, underWay: Set<UnderWay>) {
    this.tool = call.tool;
    this.args = call.args;
    this.meta = call.meta;
    this.wantsProgress = call.wantsProgress;
    this.#call = call;
    this.#underWay = underWay;
  }

  get isSent(): boolean {
    return this.#handle?.isSent ?? false;
  }

  sendIn(lane: NonNullable<Session['lane']>): this {
    this.#underWay.add(this);
    try {
      this.#handle = lane.send(this);
    } catch (error) {
      this.#underWay.delete(this);
      throw error;
    }
    return this;
  }

  cancel(reason: unknown): void {
    this.#underWay.delete(this);
    this.#handle?.cancel(reason);
  }

  onProgress(progress: ToolProgress): void {
    this.#call.onProgress(progress);
  }

  onResult(result: ToolCallResult): void {
    this.#underWay.delete(this);
    this.#call.onResult(result);
  }

  onFailure(error: unknown): void {
    this.#underWay.delete(this);
    this.#call.onFailure(error);
  }

  giveUp(reason: SessionLostError): void {
    if (!this.isSent) return; // the end of the session tells it so, and it moves on
    this.cancel(reason);
    this.#call.onFailure(reason);
  }
}
