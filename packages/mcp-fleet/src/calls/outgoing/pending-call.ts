import type { ServerRequest, SourceCallOptions, SourceToolResult, ToolProgress } from '@x/internal/contracts';
import { callListener } from '@x/internal/events';
import { readToolResult } from '@x/internal/results';
import { callSubject, controlSubject, replySubject } from '../../bus/fleet-subjects.js';
import type { FleetBus } from '../../bus.js';
import { FleetError, isFleetError } from '../../errors.js';
import { trySend } from '../../try-send.js';
import { type CallLimits, messageBytes } from '../limits.js';
import { Assembly, type Chunk, ChunkSender } from '../wire/chunks.js';
import { type ClientAnswer, type Control, encodeControl } from '../wire/controls.js';
import { type Reply, readFinal } from '../wire/replies.js';
import { toFleetError } from '../wire/wire-error.js';
import {
  type CallProgress,
  type CallTarget,
  cutOff,
  forbidden,
  notDelivered,
  ownerLost,
  resultLost,
  resultTooLarge,
  timedOut,
  unreadable,
} from './call-failure.js';
import { ClientResponder, refusal } from './client-responder.js';

interface CallingSide {
  readonly bus: FleetBus;
  readonly node: string;
  readonly limits: CallLimits;
  readonly onOver: (call: PendingCall) => void;
}

interface PendingCallOptions {
  readonly id: string;
  readonly target: CallTarget;
  readonly timeoutMs: number;
  readonly options: SourceCallOptions;
  readonly rest: Uint8Array | undefined;
}

export class PendingCall {
  readonly id: string;
  readonly target: CallTarget;
  readonly result: Promise<SourceToolResult>;
  readonly #side: CallingSide;
  readonly #options: SourceCallOptions;
  readonly #sender: ChunkSender | undefined;
  readonly #timer: ReturnType<typeof setTimeout>;
  #resolve!: (result: SourceToolResult) => void;
  #reject!: (reason: unknown) => void;
  #responder: ClientResponder | undefined;
  #isAccepted = false;
  #assembly: Assembly | undefined;
  #isOver = false;

  constructor(side: CallingSide, { id, target, timeoutMs, options, rest }: PendingCallOptions) {
    this.id = id;
    this.target = target;
    this.#side = side;
    this.#options = options;
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#sender = rest && new ChunkSender(rest, messageBytes(side.bus), (chunk) => this.#request(chunk));
    this.#timer = setTimeout(() => this.#giveUp(timedOut(target, this.#progress, timeoutMs)), timeoutMs);
    options.signal?.addEventListener('abort', this.#onAbort);
  }

  start(message: Uint8Array): void {
    try {
      this.#request(message);
    } catch (error) {
      this.#fail(error);
    }
  }

  onReply(reply: Reply): void {
    switch (reply.kind) {
      case 'accepted':
        this.#isAccepted = true;
        break;
      case 'credit':
        this.#sendOn(reply.upTo);
        break;
      case 'progress':
        this.#report(reply.progress);
        break;
      case 'size':
        this.#expect(reply.bytes);
        break;
      case 'chunk':
        this.#onChunk(reply.chunk);
        break;
      case 'final':
        this.#finish();
        this.#resolve(readToolResult(reply.result) ?? (reply.result as SourceToolResult)); // the registry refuses others
        break;
      case 'error':
        this.#fail(toFleetError(reply.error, { node: this.target.owner, server: this.target.server }));
        break;
      case 'request':
        this.#respond(reply.n, { method: reply.method, params: reply.params });
        break;
      case 'request-cancelled':
        this.#responder?.cancel(reply.n);
        break;
      case 'invalid':
        this.#giveUp(unreadable(this.target));
        break;
    }
  }

  onNotDelivered(): void {
    if (!this.#isAccepted) this.#fail(notDelivered(this.target));
  }

  onForbidden(): void {
    if (!this.#isAccepted) this.#fail(forbidden(this.target));
  }

  onOwnerLost(): void {
    this.#giveUp(ownerLost(this.target, this.#progress));
  }

  close(): void {
    this.#giveUp(cutOff(this.target, this.#progress));
  }

  get #progress(): CallProgress {
    if (this.#isAccepted) return 'accepted';
    return this.#sender === undefined || this.#sender.isDone ? 'sent' : 'unsent';
  }

  #sendOn(upTo: number): void {
    try {
      this.#sender?.allow(upTo);
    } catch (error) {
      this.#fail(error);
    }
  }

  #report(progress: ToolProgress): void {
    const { onProgress } = this.#options;
    if (onProgress !== undefined) callListener('An onProgress listener', () => onProgress(progress));
  }

  #expect(bytes: number): void {
    const { maxResultBytes } = this.#side.limits;
    // A second announcement fails the call: it costs the owner nothing, and this node an allocation of the longest
    // result.
    if (this.#assembly !== undefined) this.#giveUp(unreadable(this.target));
    else if (bytes > maxResultBytes) this.#giveUp(resultTooLarge(this.target, bytes, maxResultBytes));
    else this.#assembly = new Assembly(bytes);
  }

  #onChunk(chunk: Chunk): void {
    const assembly = this.#assembly;
    try {
      if (assembly === undefined) throw new FleetError('invalid-message', 'Received a part of an unannounced message');
      const { whole, isCreditDue } = assembly.add(chunk);
      if (isCreditDue) this.#control({ type: 'credit', id: this.id, upTo: assembly.credit });
      if (whole !== undefined) this.onReply(readFinal(whole));
    } catch (error) {
      this.#giveUp(resultLost(this.target, error));
    }
  }

  #respond(n: number, request: ServerRequest): void {
    const { handler } = this.#options;
    this.#responder ??= new ClientResponder(handler, this.target.server, (number, answer) =>
      this.#sendAnswer(number, answer),
    );
    void this.#responder.respond(n, request);
  }

  #sendAnswer(n: number, answer: ClientAnswer): void {
    if (this.#isOver) return;
    try {
      this.#publishControl({ type: 'answer', id: this.id, n, answer });
    } catch (error) {
      const isTooLong = isFleetError(error) && error.code === 'message-too-large';
      if (isFleetError(error) && !isTooLong) return;
      const why = isTooLong ? 'exceeds the limit of the bus' : 'cannot be written as JSON';
      this.#control({ type: 'answer', id: this.id, n, answer: refusal(`The response of the client ${why}`) });
    }
  }

  #onAbort = (): void => {
    this.#giveUp(this.#options.signal?.reason);
  };

  #giveUp(reason: unknown): void {
    if (this.#isOver) return;
    this.#control({ type: 'cancel', id: this.id });
    this.#fail(reason);
  }

  #fail(reason: unknown): void {
    this.#finish();
    this.#reject(reason);
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
    this.#responder?.end();
    this.#side.onOver(this);
  }

  #request(message: Uint8Array): void {
    const { owner, server } = this.target;
    const { bus, node } = this.#side;
    bus.publish(callSubject(owner, server, node), message, {
      replyTo: replySubject({ kind: 'call', requester: node, responder: owner }, this.id),
    });
  }

  /** Sends a control message, unless the bus refuses. The owner's timeout or this node's lease replaces a lost one. */
  #control(control: Control): void {
    trySend(() => this.#publishControl(control));
  }

  #publishControl(control: Control): void {
    this.#side.bus.publish(controlSubject(this.target.owner, this.#side.node), encodeControl(control));
  }
}
