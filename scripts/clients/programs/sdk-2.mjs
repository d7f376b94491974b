import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { exercise, gateway } from './exercise.mjs';

const { url, headers } = gateway;
const transport = url
  ? new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } })
  : new StdioClientTransport(gateway);
const client = new Client({ name: 'sdk-2', version: '1.0.0' });
await client.connect(transport);
await exercise(client);
await client.close();
