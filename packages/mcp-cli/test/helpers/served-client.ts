import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { Client, type ClientOptions, type Transport } from '@modelcontextprotocol/client';
import type { ExitCode } from '../../src/command.js';
import { run } from '../../src/run.js';
import type { DaemonStage } from './daemon-stage.js';

/** `mcpx serve` in this process, for the daemon of a stage. */
export interface ServeCommand {
  readonly stdin: PassThrough;
  readonly stdout: PassThrough;
  readonly stderr: () => string;
  readonly ended: Promise<ExitCode>;
  interrupt(): void;
  hangUp(): void;
}

export function serveOn({ io }: DaemonStage, args: readonly string[] = []): ServeCommand {
  const [stdin, stdout, interruption] = [new PassThrough(), new PassThrough(), new AbortController()];
  const listeners = new Set<() => void>();
  let stderr = '';
  const write = (text: string): void => {
    stderr += text;
  };
  const onHangup = (listener: () => void): Disposable => {
    listeners.add(listener);
    return { [Symbol.dispose]: () => void listeners.delete(listener) };
  };
  const { signal } = interruption;
  const ended = run(['serve', ...args], { ...io, stdin, stdout, stderr: { write }, onHangup, signal });
  return {
    stdin,
    stdout,
    stderr: () => stderr,
    ended,
    interrupt: () => interruption.abort(),
    hangUp: () => {
      for (const listener of listeners) listener();
    },
  };
}

/** The official client in front of it. */
export async function clientOn(
  stage: DaemonStage,
  args: readonly string[] = [],
  { name = 'official', ...options }: ClientOptions & { readonly name?: string } = {},
) {
  const command = serveOn(stage, args);
  const client = new Client({ name, version: '1.0.0' }, options);
  /** Messages to the client, one a line. */
  const received: string[] = [];
  await client.connect(transportOf(command, (line) => received.push(line)));
  return {
    client,
    command,
    received,
    [Symbol.asyncDispose]: async () => {
      await client.close();
      await command.ended;
    },
  };
}

function transportOf({ stdin, stdout, ended }: ServeCommand, onLine: (line: string) => void): Transport {
  const transport: Transport = {
    start: async () => {
      createInterface({ input: stdout }).on('line', (line) => {
        onLine(line);
        transport.onmessage?.(JSON.parse(line));
      });
      void ended.then(() => transport.onclose?.());
    },
    send: async (message) => void stdin.write(`${JSON.stringify(message)}\n`),
    close: async () => void stdin.end(),
  };
  return transport;
}

/** The text of a tool's result. */
export async function callText(client: Client, name: string, args: Record<string, unknown> = {}): Promise<string> {
  const { content } = await client.callTool({ name, arguments: args });
  return (content as { text: string }[]).map(({ text }) => text).join('');
}
