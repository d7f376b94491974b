import { messageOf } from '@x/internal/errors';
import { isRecord } from '@x/internal/json';
import { CommandError, exitCodes, type Io, UsageError } from '../command.js';
import { didYouMean, printableLine } from '../output/print.js';

const publicRegistry = 'https://registry.modelcontextprotocol.io';
const bounds = { timeoutMs: 15_000, bytes: 2_000_000 };

/** A name of the MCP Registry with an optional version: `io.github.owner/name@1.0.0`. */
export const registryName = /^([A-Za-z0-9][A-Za-z0-9-]*(?:\.[A-Za-z0-9-]+)+\/[A-Za-z0-9][\w.-]*)(?:@([\w.+-]+))?$/;

/**
 * Reads a server of an MCP Registry (API version 0.1).
 *
 * @param name - As it matches {@link registryName}. Without a version the latest one.
 * @param options.registry - Base URL. Default: `MCPX_REGISTRY`, else the public registry.
 * @throws {CommandError} `notFound`; `failed`: the registry cannot be reached or its answer is invalid.
 */
export async function readFromRegistry(
  name: string,
  { registry }: { readonly registry?: string | undefined },
  io: Pick<Io, 'env' | 'signal'>,
): Promise<unknown> {
  const [, server = '', version = 'latest'] = registryName.exec(name) ?? [];
  const base = baseUrl(registry ?? (io.env.MCPX_REGISTRY || publicRegistry));
  const path = `v0.1/servers/${encodeURIComponent(server)}/versions/${encodeURIComponent(version)}`;
  const { status, body } = await get(new URL(path, base), io);
  if (status === 404) throw await unknownServer(server, version, base, io);
  if (status !== 200) throw failure(base, `it answered with status ${status}`);
  const found = isRecord(body) && isRecord(body.server) ? body.server.name : undefined;
  if (found === server) return body;
  throw failure(base, `it answered with ${JSON.stringify(found)?.slice(0, 100) ?? 'no server'}`);
}

function baseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isLocal = url !== undefined && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (url === undefined || (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLocal))) {
    throw new UsageError(`The registry "${text.slice(0, 200)}" must be an https:// URL, or http:// on this machine.`);
  }
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  return url;
}

async function get(url: URL, { signal }: Pick<Io, 'signal'>): Promise<{ status: number; body: unknown }> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(bounds.timeoutMs)]);
  try {
    const response = await fetch(url, { headers: { accept: 'application/json' }, signal: limit });
    const text = await boundedText(response, url);
    return { status: response.status, body: response.ok ? JSON.parse(text) : undefined };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof CommandError) throw error;
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    throw failure(url, limit.aborted ? `no answer for ${bounds.timeoutMs / 1_000} s` : messageOf(cause));
  }
}

async function boundedText(response: Response, url: URL): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > bounds.bytes) throw failure(url, `its answer has more than ${bounds.bytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function failure({ origin }: URL, what: string): CommandError {
  return new CommandError(
    exitCodes.failed,
    `The MCP Registry at ${origin} cannot be used: ${printableLine(what, 300)}.`,
    {
      hint: 'Set MCPX_REGISTRY or --registry to another one, or add a server.json that you have downloaded.',
    },
  );
}

async function unknownServer(
  server: string,
  version: string,
  base: URL,
  io: Pick<Io, 'signal'>,
): Promise<CommandError> {
  const url = new URL('v0.1/servers', base);
  url.searchParams.set('search', server.split('/').at(-1) ?? server);
  url.searchParams.set('limit', '30');
  const names: readonly string[] = await get(url, io).then(
    ({ body }) => namesIn(body),
    () => [],
  );
  const of = version === 'latest' ? '' : ` in version ${version}`;
  const message = `The MCP Registry at ${base.origin} has no server "${server}"${of}.`;
  const isOther = names.includes(server); // it has another version
  return new CommandError(exitCodes.notFound, isOther ? message : `${message} ${didYouMean(server, names)}`.trim(), {
    hint: `Its servers with such a name: ${url.href}`,
  });
}

function namesIn(body: unknown): readonly string[] {
  const servers = isRecord(body) && Array.isArray(body.servers) ? body.servers : [];
  return servers.flatMap((item) => {
    const server = isRecord(item) && isRecord(item.server) ? item.server : {};
    return typeof server.name === 'string' && registryName.test(server.name) ? [server.name] : [];
  });
}
