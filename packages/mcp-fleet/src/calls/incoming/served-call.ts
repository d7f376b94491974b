import type { SourceCallOptions, SourceToolResult, ToolProgress } from '@x/internal/contracts';
import type { FleetBus } from '../../bus.js';
import { FleetError, isFleetError } from '../../errors.js';
import { type CallLimits, messageBytes } from '../limits.js';
import { type CallBody, type CallRequest, readBody } from '../wire/call-request.js';
import { Assembly, CHUNKS_AHEAD, type Chunk, type ChunkSender } from '../wire/chunks.js';
import type { ClientAnswer } from '../wire/controls.js';
import { encodeCredit, encodeProgress } from '../wire/replies.js';
import { failureOf, ownersError, type WireError } from '../wire/wire-error.js';
import { type Admission, type AdmittedCall, admitCall, unknownTool } from './admit-call.js';
import { ClientRelay, type RemoteClients } from './client-relay.js';
import { ReplyLine, writeResult } from './reply-line.js';

export interface ServingSide extends Admission {
  readonly bus: FleetBus;
  readonly limits: CallLimits;
  readonly clients: RemoteClients;
  /** True if there is memory for arguments of `bytes` bytes besides those of other calls. */
  readonly hasMemoryFor: (bytes: number) => boolean;
  readonly isAlive: (node: string, incarnation: number) => boolean;
  readonly onOver: (call: ServedCall) => void;
}

interface ServedCallOptions {
  readonly id: string;
  readonly edge: string;
  readonly server: string;
  readonly replyTo: string;
  readonly request: CallRequest;
}

export class ServedCall {
  readonly id: string;
  readonly edge: string;
  readonly #side: ServingSide;
  readonly #server: string;
  readonly #line: ReplyLine;
  readonly #request: CallRequest;
  readonly #startedAtMs = performance.now();
  readonly #ended = new AbortController();
  readonly #timer: ReturnType<typeof setTimeout>;
  #edgeIncarnation: number | undefined;
  #loading:
    | { readonly bytes: number; readonly assembly: Assembly; readonly resolve: (body: Uint8Array) => void }
    | undefined;
  #client: ClientRelay | undefined;
  #sender: ChunkSender | undefined;
  #isOver = false;

  constructor(side: ServingSide, { id, edge, server, replyTo, request }: ServedCallOptions) {
    this.id = id;
    this.edge = edge;
    this.#side = side;
    this.#server = server;
    this.#line = new ReplyLine(side.bus, replyTo);
    this.#request = request;
    this.#timer = setTimeout(() => this.#onTimeout(), request.timeoutMs);
  }

  get edgeIncarnation(): number | undefined {
    return this.#edgeIncarnation;
  }

  get loadingBytes(): number {
    return this.#loading === undefined ? 0 : this.#loading.bytes;
  }

  /** Resolves when the tool has finished, even if the caller has gone. Never rejects. */
  async run(): Promise<void> {
    let admitted: AdmittedCall;
    let body: CallBody;
    try {
      admitted = await this.#admit();
      if (this.#isOver) return;
      body = this.#request.body ?? readBody(await this.#load(this.#request.bytes));
      if (this.#isOver) return;
      this.#line.accept();
    } catch (error) {
      this.#fail(ownersError(error));
      return;
    }
    let result: SourceToolResult;
    try {
      result = await admitted.source.callTool(this.#request.tool, body.args, this.#optionsOf(body, admitted));
    } catch (thrown) {
      this.#fail(this.#failureOf(thrown));
      return;
    }
    this.#sendResult(result);
  }

  onChunk(chunk: Chunk): void {
    if (this.#loading === undefined) return;
    const { assembly, resolve } = this.#loading;
    try {
      const { whole, isCreditDue } = assembly.add(chunk);
      if (isCreditDue) this.#line.send(encodeCredit(assembly.credit));
      if (whole === undefined) return;
      this.#loading = undefined;
      resolve(whole);
    } catch (error) {
      this.#fail(ownersError(error));
    }
  }

  onCredit(upTo: number): void {
    if (this.#sender !== undefined) this.#sendOn(this.#sender, upTo);
  }

  onAnswer(n: number, answer: ClientAnswer): void {
    this.#client?.onAnswer(n, answer);
  }

  cancel(reason: FleetError): void {
    if (this.#isOver) return;
    this.#finish(reason);
    this.#ended.abort(reason);
  }

  /** Ends the call and reports the reason to the caller. */
  end(reason: FleetError): void {
    if (!this.#isOver) this.#line.sendError(ownersError(reason));
    this.cancel(reason);
  }

  async #admit(): Promise<AdmittedCall> {
    const { tool, principal: token } = this.#request;
    const call = { edge: this.edge, server: this.#server, tool, token, signal: this.#ended.signal };
    const admitted = await admitCall(this.#side, call);
    this.#edgeIncarnation = admitted.edgeIncarnation;
    // The caller may have been lost during admission, before its incarnation was known.
    if (!this.#side.isAlive(this.edge, admitted.edgeIncarnation)) this.#finish();
    return admitted;
  }

  #load(bytes: number): Promise<Uint8Array> {
    const { limits, node, hasMemoryFor } = this.#side;
    if (bytes > limits.maxArgsBytes) {
      const message = `The arguments have ${bytes} bytes, and the limit of the node ${node} is ${limits.maxArgsBytes}; nothing was run`;
      throw new FleetError('message-too-large', message, { node });
    }
    if (!hasMemoryFor(bytes)) {
      throw new FleetError(
        'busy',
        `The node ${node} is receiving the arguments of too many calls; nothing was run. Retry later`,
      );
    }
    return new Promise((resolve) => {
      this.#loading = { bytes, assembly: new Assembly(bytes), resolve };
      this.#line.send(encodeCredit(CHUNKS_AHEAD));
    });
  }

  #optionsOf(
    { meta, params, inputRequired, client }: CallBody,
    { caller, edgeIncarnation }: AdmittedCall,
  ): SourceCallOptions {
    const remainingMs = this.#request.timeoutMs - (performance.now() - this.#startedAtMs);
    if (client !== undefined) {
      const identity = this.#side.clients.find({
        node: this.edge,
        incarnation: edgeIncarnation,
        number: client.number,
      });
      this.#client = new ClientRelay({ client: identity, capabilities: client.capabilities }, (message) =>
        this.#line.send(message),
      );
    }
    return {
      signal: this.#ended.signal,
      timeoutMs: Math.max(1, Math.ceil(remainingMs)),
      caller,
      ...(this.#request.wantsProgress ? { onProgress: (progress) => this.#report(progress) } : {}),
      ...(meta === undefined ? {} : { meta }),
      ...(params === undefined ? {} : { params }),
      ...(inputRequired === undefined ? {} : { inputRequired }),
      ...(this.#client === undefined ? {} : { handler: this.#client }),
    };
  }

  #report(progress: ToolProgress): void {
    // JSON has no other numbers; a progress of 0 of 0 is not one.
    if (!this.#isOver && Number.isFinite(progress.progress)) this.#line.trySend(encodeProgress(progress));
  }

  #failureOf(thrown: unknown): WireError {
    const failure = failureOf(thrown);
    if (failure.code !== 'unknown-tool') return { source: failure };
    const { node, authorize } = this.#side;
    // With `authorize`, a missing tool must look like a forbidden one.
    const code = authorize === undefined ? 'unknown-tool' : 'refused';
    return ownersError(unknownTool(node, { server: this.#server, tool: this.#request.tool }, code));
  }

  #sendResult(result: unknown): void {
    if (this.#isOver) return;
    const { bus, node, limits } = this.#side;
    const written = writeResult(result, {
      node,
      tool: this.#request.tool,
      maxMessageBytes: messageBytes(bus),
      maxResultBytes: limits.maxResultBytes,
    });
    if (written.error !== undefined) {
      this.#fail(written.error);
      return;
    }
    this.#sender = this.#line.sendResult(written.message, written.rest);
    if (this.#sender === undefined) this.#finish();
    else this.#sendOn(this.#sender, CHUNKS_AHEAD);
  }

  #sendOn(sender: ChunkSender, upTo: number): void {
    try {
      sender.allow(upTo);
    } catch (error) {
      if (!isFleetError(error)) throw error;
      this.#finish(); // the remaining chunks are useless without the lost one
    }
    if (sender.isDone) this.#finish();
  }

  #onTimeout(): void {
    const { tool, timeoutMs } = this.#request;
    const message = `The call of ${tool} did not finish within ${timeoutMs} milliseconds; it may or may not have had its effect`;
    this.end(new FleetError('timed-out', message, { node: this.#side.node, server: this.#server }));
  }

  #fail(error: WireError): void {
    if (this.#isOver) return;
    this.#line.sendError(error);
    this.#finish();
  }

  /** @param reason - Rejects open server requests. Default: the tool has finished. */
  #finish(reason?: FleetError): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#loading = undefined;
    this.#sender = undefined;
    this.#client?.end(reason ?? new FleetError('cancelled', 'The call of this server request has ended'));
    this.#side.onOver(this);
  }
}
