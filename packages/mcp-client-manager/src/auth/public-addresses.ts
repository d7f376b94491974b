import { type LookupAddress, type LookupOptions, lookup as systemLookup } from 'node:dns';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import type { FetchLike } from '@modelcontextprotocol/client';
import { SignInError } from './sign-in-error.js';

const maxAnswerBytes = 1_048_576;
const maxRedirects = 5;

/** Loopback, private, link-local, shared, multicast and reserved addresses. */
const notPublic = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const) {
  notPublic.addSubnet(network, prefix, 'ipv4');
}
for (const [network, prefix] of [
  ['::', 96], // includes ::1 and deprecated IPv4-compatible addresses
  ['64:ff9b::', 96], // NAT64
  ['64:ff9b:1::', 48],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const) {
  notPublic.addSubnet(network, prefix, 'ipv6');
}

/** IPv4-mapped IPv6 addresses count as IPv4. */
export function isPublicAddress(address: string): boolean {
  const [bare = ''] = address.split('%');
  const family = isIP(bare);
  if (family === 0) return false;
  return !notPublic.check(bare, family === 6 ? 'ipv6' : 'ipv4');
}

export type Resolve = (
  hostname: string,
  options: LookupOptions & { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

interface PublicFetchOptions {
  /** For the server's own origin. For all origins if the server has a private address. */
  readonly fetch: FetchLike;
  readonly serverUrl: string;
  /** Default: `dns.lookup`. */
  readonly resolve?: Resolve | undefined;
}

/**
 * `fetch` for URLs that a server chooses. A server on a public address may lead to public addresses only. Checks each
 * redirect, and each connection when it is made, which defeats DNS rebinding. A server on a private address may lead
 * anywhere: its user has chosen it.
 */
export function publicFetch({ fetch, serverUrl, resolve = systemLookup }: PublicFetchOptions): FetchLike {
  const server = new URL(serverUrl);
  const lookup = publicLookup(resolve);
  let isPrivate: Promise<boolean> | undefined;
  const once = (url: URL, init: RequestInit): Promise<Response> =>
    url.origin === server.origin ? fetch(url, { ...init, redirect: 'manual' }) : requestPublic(url, init, lookup);
  return async (target, init = {}) => {
    isPrivate ??= isPrivateHost(server.hostname, resolve);
    if (await isPrivate) return fetch(target, init);
    let url = new URL(target);
    for (let hop = 0; ; hop += 1) {
      const response = await once(url, init);
      const next = redirectOf(response, url, init);
      if (!next) return response;
      await response.body?.cancel();
      if (hop === maxRedirects) throw new SignInError(`it redirects more than ${maxRedirects} times`);
      url = next;
    }
  };
}

function redirectOf(
  { status, headers }: Response,
  from: URL,
  { method = 'GET', redirect }: RequestInit,
): URL | undefined {
  const location = headers.get('location');
  const isFollowed = status >= 300 && status < 400 && redirect !== 'manual' && method === 'GET';
  return isFollowed && location !== null && URL.canParse(location, from.href) ? new URL(location, from) : undefined;
}

/** True if all addresses are private: one among public ones has no effect. */
async function isPrivateHost(hostname: string, resolve: Resolve): Promise<boolean> {
  const bare = withoutBrackets(hostname);
  if (isIP(bare)) return !isPublicAddress(bare);
  return new Promise((settle) => {
    resolve(bare, { all: true }, (error, addresses) => {
      settle(!error && addresses.length > 0 && addresses.every(({ address }) => !isPublicAddress(address)));
    });
  });
}

function publicLookup(resolve: Resolve): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error || !first) callback(error ?? new Error(`${hostname} has no address`), '', 0);
      else if (!addresses.every(({ address }) => isPublicAddress(address))) callback(privateAddress(), '', 0);
      else if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

function privateAddress(): SignInError {
  return new SignInError('it is on a public address but leads to a private one');
}

async function requestPublic(url: URL, init: RequestInit, lookup: LookupFunction): Promise<Response> {
  const host = withoutBrackets(url.hostname);
  if (isIP(host) && !isPublicAddress(host)) throw privateAddress(); // Node.js calls `lookup` only for names
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new SignInError('it leads to an address that is not http or https');
  const request = new Request(url, init);
  const { method, headers, signal } = request;
  const body = Buffer.from(await request.arrayBuffer());
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const all = { ...Object.fromEntries(headers), 'accept-encoding': 'identity' };
  try {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const sending = send(url, { method, headers: all, lookup, signal, agent: false });
      sending.once('response', resolve).once('error', reject).end(body);
    });
    return responseOf(answer, await bytesOf(answer));
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof SignInError ? error : new TypeError('fetch failed', { cause: error });
  }
}

async function bytesOf(answer: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxAnswerBytes) throw new SignInError(`its response has more than ${maxAnswerBytes} bytes`);
  }
  return Buffer.concat(chunks);
}

function responseOf({ statusCode = 0, statusMessage = '', headersDistinct }: IncomingMessage, bytes: Buffer): Response {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(headersDistinct)) {
    for (const value of values) headers.append(name, value);
  }
  const isEmpty = statusCode === 204 || statusCode === 205 || statusCode === 304;
  const body = isEmpty ? null : new Uint8Array(bytes);
  return new Response(body, { status: statusCode, statusText: statusMessage, headers });
}

function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}
