import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';

/** Revisions with the `initialize` handshake, from which the client chooses. For any other it gets 2025-11-25. */
const revisions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];

type RequestId = string | number;
export type Params = Readonly<Record<string, unknown>>;

/** Result of a tool that does not respond. */
export const noResponse = Symbol('no response');

export interface ServedTool {
  readonly name: string;
  readonly description?: string;
  /** `properties` of the input schema. */
  readonly properties?: Readonly<Record<string, object>>;
  /** A string becomes a text block, a throw an `isError` result; other values are the result. */
  run(args: Params, call: ToolCall): unknown;
}

export interface ToolCall {
  readonly id: RequestId;
  /** Aborts when the client cancels the call, which then gets no response. */
  readonly signal: AbortSignal;
  /** From `_meta.progressToken`. */
  readonly progressToken: RequestId | undefined;
}

interface ServeOptions {
  readonly tools?: readonly ServedTool[] | (() => readonly ServedTool[]);
  /** Instructions for models. Default: none. */
  readonly instructions?: string | undefined;
  /** Runs before the response to `initialize`. */
  readonly onInitialize?: () => void | Promise<void>;
  /** Methods in place of the built-in ones. A throw becomes a JSON-RPC error. */
  readonly methods?: Readonly<Record<string, (params: Params) => unknown>>;
  /** Runs at the end of stdin. Default: exits with code 0. */
  readonly onEnd?: () => void;
  /** Writes one message, given without newline. Default: to stdout. */
  readonly write?: (line: string) => void;
}

interface Connection {
  notify(method: string, params?: Params): void;
}

/** Becomes a JSON-RPC error, not a tool result. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** Serves newline-delimited JSON-RPC on stdin and stdout: initialize, ping, tools/list and tools/call. */
export function serve(options: ServeOptions): Connection {
  const write = options.write ?? ((line) => void process.stdout.write(`${line}\n`));
  const send = (message: object) => write(JSON.stringify({ jsonrpc: '2.0', ...message }));
  const running = new Map<RequestId, AbortController>();
  const methods = { ...builtInMethods(options), ...options.methods };

  async function answer(id: RequestId, method: string, params: Params): Promise<void> {
    const cancel = new AbortController();
    running.set(id, cancel);
    try {
      const result = await respond(id, method, params, cancel.signal);
      if (result !== noResponse && !cancel.signal.aborted) send({ id, result });
    } catch (error) {
      const code = error instanceof RpcError ? error.code : -32603;
      const data = error instanceof RpcError && error.data !== undefined ? { data: error.data } : {};
      if (!cancel.signal.aborted) send({ id, error: { code, message: messageOf(error), ...data } });
    } finally {
      running.delete(id);
    }
  }

  async function respond(id: RequestId, method: string, params: Params, signal: AbortSignal): Promise<unknown> {
    const handler = Object.hasOwn(methods, method) ? methods[method] : undefined;
    if (handler !== undefined) return handler(params);
    if (method === 'tools/call') return callTool(options, params, { id, signal, progressToken: tokenOf(params) });
    throw new RpcError(-32601, `Method not found: ${method}`);
  }

  const lines = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY });
  lines.on('line', (line) => {
    const message = parse(line);
    const { id, method, params = {} } = message;
    if (method === 'notifications/cancelled') running.get(params.requestId as RequestId)?.abort();
    else if (method !== undefined && id !== undefined) void answer(id, method, params);
  });
  lines.on('close', options.onEnd ?? (() => process.exit(0)));

  return { notify: (method, params) => send(params === undefined ? { method } : { method, params }) };
}

function builtInMethods(options: ServeOptions): Record<string, (params: Params) => unknown> {
  return {
    initialize: async (params) => {
      await options.onInitialize?.();
      const asked = String(params.protocolVersion);
      return {
        protocolVersion: revisions.includes(asked) ? asked : '2025-11-25',
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'test-server', version: '1.0.0' },
        instructions: options.instructions,
      };
    },
    ping: () => ({}),
    'tools/list': () => ({ tools: toolsOf(options).map(describeTool) }),
  };
}

async function callTool(options: ServeOptions, params: Params, call: ToolCall): Promise<unknown> {
  const tool = toolsOf(options).find(({ name }) => name === params.name);
  if (tool === undefined) throw new RpcError(-32602, `Unknown tool: ${String(params.name)}`);
  try {
    const result = await tool.run((params.arguments ?? {}) as Params, call);
    return typeof result === 'string' ? textResult(result) : result;
  } catch (error) {
    if (error instanceof RpcError) throw error;
    return { ...textResult(messageOf(error)), isError: true };
  }
}

/** Entry of `tools/list` for a tool. */
export function describeTool({ name, description = `The tool ${name}`, properties = {} }: ServedTool): object {
  return { name, description, inputSchema: { type: 'object', properties } };
}

/** A tool result with one text block. */
export function textResult(text: string): { content: object[] } {
  return { content: [{ type: 'text', text }] };
}

interface Message {
  readonly id?: RequestId;
  readonly method?: string;
  readonly params?: Params;
}

/** Lines that are no JSON object count as empty messages. */
function parse(line: string): Message {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Message) : {};
  } catch {
    return {};
  }
}

function tokenOf(params: Params): RequestId | undefined {
  return (params._meta as { progressToken?: RequestId } | undefined)?.progressToken;
}

function toolsOf({ tools = [] }: ServeOptions): readonly ServedTool[] {
  return typeof tools === 'function' ? tools() : tools;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns its text. Most servers offer it, to prove that they work. */
export const echoTool: ServedTool = {
  name: 'echo',
  description: 'Echo a text',
  properties: { text: { type: 'string' } },
  run: ({ text }) => String(text),
};

/** Returns the process id, which distinguishes two starts. */
export const pidTool: ServedTool = {
  name: 'pid',
  description: 'The process id of this server',
  run: () => String(process.pid),
};

/**
 * Writes everything before it returns: an unread pipe blocks the whole process. Retries on EAGAIN of a non-blocking
 * descriptor.
 */
export function writeBlocking(fd: 1 | 2, text: string | Uint8Array): void {
  let rest = typeof text === 'string' ? Buffer.from(text) : text;
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(fd, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}
