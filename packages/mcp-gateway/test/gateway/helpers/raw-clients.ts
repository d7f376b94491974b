import { InMemoryTransport } from '@modelcontextprotocol/server';
import type { Gateway, ServeGatewayOptions } from '../../../src/gateway/gateway.js';
import type { RegistryHandler } from '../../../src/server/registry-handler.js';

// biome-ignore lint/suspicious/noExplicitAny: messages are looked at by matchers alone
type Loose = any;

export const TASKS = 'io.modelcontextprotocol/tasks';

export interface Asked {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly token?: string;
  readonly capabilities?: Readonly<Record<string, unknown>>;
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** One request of the 2026-07-28 revision over HTTP, and the answer as it is on the wire. */
export async function post(
  { fetch }: RegistryHandler,
  { method, params = {}, token = '', capabilities = { extensions: { [TASKS]: {} } }, meta = {} }: Asked,
): Promise<{ readonly status: number; readonly result?: Loose; readonly error?: Loose }> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
    ...meta,
  };
  const name = params.taskId ?? params.name ?? params.uri;
  const response = await fetch(
    new Request('http://localhost/mcp', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...(typeof name === 'string' && { 'mcp-name': name }),
        ...(token !== '' && { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
    }),
  );
  const { result, error } = JSON.parse(await response.text());
  return { status: response.status, ...(result && { result }), ...(error && { error }) };
}

export interface RawConnection extends AsyncDisposable {
  readonly capabilities: Loose;
  request(method: string, params?: Readonly<Record<string, unknown>>): Promise<{ result?: Loose; error?: Loose }>;
  notify(method: string, params: Record<string, unknown>): Promise<void>;
  /** Every notification that has come. */
  readonly told: { readonly method: string; readonly params?: Loose }[];
}

/** A connection of the revision 2025-11-25, and answers as they are on the wire. */
export async function connectRaw(gateway: Gateway, audience: ServeGatewayOptions = {}): Promise<RawConnection> {
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  const serving = gateway.serve({ ...audience, transport: serverSide });
  const waiting = new Map<unknown, (message: Loose) => void>();
  const told: RawConnection['told'] = [];
  clientSide.onmessage = ({ jsonrpc: _, ...message }: Loose) => {
    if (message.id === undefined) told.push(message);
    else waiting.get(message.id)?.(message);
  };
  await clientSide.start();
  let last = 0;
  const request: RawConnection['request'] = async (method, params = {}) => {
    const id = ++last;
    const answered = new Promise<Loose>((resolve) => waiting.set(id, resolve));
    await clientSide.send({ jsonrpc: '2.0', id, method, params });
    const { result, error } = await answered;
    return { ...(result && { result }), ...(error && { error }) };
  };
  const { result } = await request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'raw', version: '1.0.0' },
  });
  await clientSide.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return {
    capabilities: result.capabilities,
    request,
    notify: (method, params) => clientSide.send({ jsonrpc: '2.0', method, params }),
    told,
    [Symbol.asyncDispose]: async () => {
      await clientSide.close();
      await serving.close();
    },
  };
}
