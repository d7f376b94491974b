import { createInterface } from 'node:readline';
import { Client, type ClientOptions, type Transport } from '@modelcontextprotocol/client';
import type { DaemonStage } from './daemon-stage.js';
import { type RunningCommand, startCommand } from './running-command.js';

/** `mcpx serve` in this process, for the daemon of a stage. */
export function serveOn({ io }: DaemonStage, args: readonly string[] = []): RunningCommand {
  return startCommand(['serve', ...args], io);
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

/** @param onLine - Called with each message to the client. */
export function transportOf({ stdin, stdout, ended }: RunningCommand, onLine = (_line: string): void => {}): Transport {
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
