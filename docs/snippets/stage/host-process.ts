import { PassThrough } from 'node:stream';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';

/** Stands in for the host that has started this program: a client at the other end of stdin and stdout. */
export async function connectHostOfThisProgram(): Promise<Client> {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  Object.defineProperty(process, 'stdin', { value: stdin, configurable: true });
  Object.defineProperty(process, 'stdout', { value: stdout, configurable: true });
  const client = new Client({ name: 'a-host', version: '1.0.0' });
  await client.connect(transportOver(stdout, stdin));
  return client;
}

function transportOver(input: PassThrough, output: PassThrough): Transport {
  const messages = new ReadBuffer();
  const transport: Transport = {
    start: async () => {
      input.on('data', (chunk: Buffer) => {
        messages.append(chunk);
        for (let next = messages.readMessage(); next !== null; next = messages.readMessage())
          transport.onmessage?.(next);
      });
    },
    send: async (message) => void output.write(serializeMessage(message)),
    close: async () => {
      output.end();
      transport.onclose?.();
    },
  };
  return transport;
}
