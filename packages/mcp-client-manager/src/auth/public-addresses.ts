import { type LookupAddress, type LookupOptions, lookup as systemLookup } from 'node:dns';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import type { FetchLike } from '@modelcontextprotocol/client';
import { SignInError } from './sign-in-error.js';

/** Metadata and token answers are small; a larger one is cut off, in bytes. */
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
  ['::', 96], // with ::1, and IPv4 addresses in the form that is no longer used
  ['64:ff9b::', 96], // IPv4 addresses behind a translator
  ['64:ff9b:1::', 48],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const) {
  notPublic.addSubnet(network, prefix, 'ipv6');
}

/** Whether the address is one of the public internet. An IPv4 address in an IPv6 one counts as what it is. */
export function isPublicAddress(address: string): boolean {
  const [bare = ''] = address.split('%'); // without the zone
  const family = isIP(bare);
  if (family === 0) return false;
  return !notPublic.check(bare, family === 6 ? 'ipv6' : 'ipv4');
}

/** `dns.lookup` with `all: true`, or what stands in for it. */
export type Resolve = (
  hostname: string,
  options: LookupOptions & { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export interface PublicFetchOptions {
  /** For the server's own origin, and for all when the server itself is on a private address. */
  readonly fetch: FetchLike;
  readonly serverUrl: string;
  /** Default: that of the system. */
  readonly resolve?: Resolve | undefined;
}

/**
 * `fetch` for addresses that a server chooses, such as its `resource_metadata` and the authorization servers named there. A
 * server on a public address leads to public addresses only: each redirect is checked, and each connection at the moment
 * in which it is made, so that a name that resolves to something else by then is of no use. A server on a private address
 * may lead anywhere: its user has put it there.
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
      if (hop === maxRedirects) throw new SignInError('it redirects too often');
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

/** Every address of the name, so that one private address among others changes nothing. */
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
  return new SignInError('it leads to an address that is not public, though it is on a public one itself');
}

async function requestPublic(url: URL, init: RequestInit, lookup: LookupFunction): Promise<Response> {
  const host = withoutBrackets(url.hostname);
  if (isIP(host) && !isPublicAddress(host)) throw privateAddress(); // nothing is looked up then
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new SignInError('it leads to no web address');
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
    if (length > maxAnswerBytes) throw new SignInError(`its answer has more than ${maxAnswerBytes} bytes`);
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
