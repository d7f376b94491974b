import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { type TestServerName, testServer, withOwner } from '@x/test-servers';

export interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A test server on bare pipes: JSON lines go in and come out, and nothing is interpreted for the test. */
export class RawServer implements AsyncDisposable {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  /** Every line of stdout so far, good or not. */
  readonly lines: string[] = [];
  readonly exited: Promise<Exit>;
  readonly stdoutClosed: Promise<unknown>;
  #waiting: { matches: (message: Message) => boolean; resolve: (message: Message) => void }[] = [];
  #nextId = 1;

  constructor(name: TestServerName, ...args: readonly string[]) {
    const server = testServer(name, ...args);
    this.child = spawn(server.command, server.args, { stdio: ['pipe', 'pipe', 'pipe'], env: withOwner() });
    this.child.stdin.on('error', () => undefined); // a server that is gone does not read
    this.exited = once(this.child, 'exit').then(([code, signal]) => ({ code, signal }) as Exit);
    const lines = createInterface({ input: this.child.stdout }).on('line', (line) => this.#receive(line));
    this.stdoutClosed = once(lines, 'close');
  }

  /** Sends a request and resolves with the message that answers it. */
  async request(method: string, params: object = {}): Promise<Message> {
    const id = this.#nextId;
    this.#nextId += 1;
    const answer = this.message((message) => message.id === id && message.method === undefined);
    this.send({ jsonrpc: '2.0', id, method, params });
    return answer;
  }

  initialize(protocolVersion = '2025-11-25'): Promise<Message> {
    return this.request('initialize', { protocolVersion, capabilities: {}, clientInfo: { name: 'raw', version: '1' } });
  }

  call(name: string, args: object = {}): Promise<Message> {
    return this.request('tools/call', { name, arguments: args });
  }

  /** Calls a tool and gives the text of its result. */
  async text(name: string, args: object = {}): Promise<string> {
    const { result } = await this.call(name, args);
    const content = (result?.content ?? []) as { text: string }[];
    return content[0]?.text ?? '';
  }

  async toolNames(params: object = {}): Promise<string[]> {
    const { result } = await this.request('tools/list', params);
    const tools = (result?.tools ?? []) as { name: string }[];
    return tools.map(({ name }) => name);
  }

  /** Resolves with the next message that fits. */
  message(matches: (message: Message) => boolean): Promise<Message> {
    return new Promise((resolve) => this.#waiting.push({ matches, resolve }));
  }

  send(message: object): void {
    this.child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  async stderr(): Promise<string> {
    const chunks: Buffer[] = [];
    for await (const chunk of this.child.stderr) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exited;
  }

  #receive(line: string): void {
    this.lines.push(line);
    const message = parse(line);
    if (message === undefined) return;
    const index = this.#waiting.findIndex(({ matches }) => matches(message));
    if (index !== -1) this.#waiting.splice(index, 1)[0]?.resolve(message);
  }
}

function parse(line: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return (value as { jsonrpc?: unknown } | null)?.jsonrpc === '2.0' ? (value as Message) : undefined;
  } catch {
    return undefined;
  }
}
