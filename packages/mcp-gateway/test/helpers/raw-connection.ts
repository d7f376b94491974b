import { PassThrough } from 'node:stream';
import type { RegistryServing, StdioOptions } from '../../src/index.js';

// biome-ignore lint/suspicious/noExplicitAny: messages are looked at by matchers alone
type Message = any;

/** The client's end of a connection over stdin and stdout, with messages as they are on the wire. */
export interface RawConnection extends AsyncDisposable {
  say(...messages: readonly object[]): void;
  /** The next messages of the server. */
  next(count: number): Promise<readonly Message[]>;
  /** Sends requests and waits for as many messages. */
  ask(...messages: readonly object[]): Promise<readonly Message[]>;
  readonly serving: RegistryServing;
  readonly errors: readonly string[];
}

export function rawConnection(
  serve: (options: StdioOptions & { readonly onError: (error: Error) => void }) => RegistryServing,
): RawConnection {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const errors: string[] = [];
  const serving = serve({ stdin, stdout, onError: ({ message }) => errors.push(message) });
  const lines = readLines(stdout);
  const say = (...messages: readonly object[]) => {
    const texts = messages.map((message) => JSON.stringify({ jsonrpc: '2.0', ...message }));
    stdin.write(`${texts.join('\n')}\n`);
  };
  const next = async (count: number) => {
    const messages: Message[] = [];
    while (messages.length < count) messages.push(JSON.parse((await lines.next()).value as string));
    return messages;
  };
  const ask = (...messages: readonly object[]) => {
    say(...messages);
    return next(messages.length);
  };
  return { say, next, ask, serving, errors, [Symbol.asyncDispose]: () => serving.close() };
}

async function* readLines(stream: PassThrough): AsyncGenerator<string, void> {
  let text = '';
  for await (const piece of stream) {
    const lines = `${text}${piece}`.split('\n');
    text = lines.pop() ?? '';
    yield* lines;
  }
}
