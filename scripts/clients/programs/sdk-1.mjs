import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { exercise, gateway } from './exercise.mjs';

const { url, headers } = gateway;
const transport = url
  ? new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } })
  : new StdioClientTransport(gateway);
const client = new Client({ name: 'sdk-1', version: '1.0.0' });
await client.connect(transport);
await exercise(client);
await client.close();
