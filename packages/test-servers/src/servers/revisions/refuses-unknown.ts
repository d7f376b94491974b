// Responds to unknown methods as --refusal says: one of `stdioRefusals`.
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import type { StdioRefusal } from '../../harness/refusals.js';
import { writeBlocking } from '../../serving/json-lines.js';

const { values } = parseArgs({ options: { refusal: { type: 'string', default: 'error -32601' } } });
const refusal = values.refusal as StdioRefusal;
const serverInfo = { name: 'refuses-unknown', version: '1.0.0' };
const properties = { text: { type: 'string' } };

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined || method === undefined) return;
    const result = resultOf(method, params?.arguments);
    if (result) write({ id, result });
    else refuse(id);
  })
  .on('close', () => process.exit(0));

function resultOf(method: string, args: { text?: string } | undefined): object | undefined {
  switch (method) {
    case 'initialize':
      return { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo };
    case 'tools/list':
      return { tools: [{ name: 'echo', description: 'Echo a text', inputSchema: { type: 'object', properties } }] };
    case 'tools/call':
      return { content: [{ type: 'text', text: String(args?.text) }] };
    case 'ping':
      return {};
    default:
      return undefined;
  }
}

function refuse(id: unknown): void {
  const error = { code: -32_601, message: 'Method not found' };
  if (refusal === 'error -32601') write({ id, error });
  if (refusal === 'error of another code') write({ id, error: { ...error, code: -32_600 } });
  if (refusal === 'error without an id') write({ id: null, error });
  if (refusal === 'a line of text') writeBlocking(1, 'What?\n');
  if (refusal === 'exit') process.exit(1);
}

function write(message: object): void {
  writeBlocking(1, `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}
