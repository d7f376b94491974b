import type { IncomingMessage } from 'node:http';
import type { HttpAsk } from '../http-ask.js';

/** Methods that a `Request` does not support. */
const UNUSABLE = /^(connect|trace|track)$/i;

/** Returns `undefined` for an ambiguous host, since a choice between two would bypass the check. */
export function askOfNode(incoming: IncomingMessage, signal: AbortSignal): HttpAsk | undefined {
  const { method = 'GET', url: path = '', headers } = incoming;
  const host = headers.host ?? headers[':authority'];
  if (typeof host !== 'string' || host.includes('@') || hostsIn(incoming.rawHeaders) !== 1) return undefined;
  const url = `http://${host}${path}`;
  if (!path.startsWith('/') || UNUSABLE.test(method) || !isUrl(url)) return undefined;
  const header = (name: string) => {
    // Node keeps the first of several, but a proxy may have checked another. Joined, they are no valid token.
    const value = name === 'authorization' ? incoming.headersDistinct[name] : headers[name];
    return value === undefined ? null : [value].flat().join(', ');
  };
  return {
    method,
    url,
    signal,
    header,
    readBody: (take) => readBody(incoming, take),
    toRequest: () => new Request(url, { method, headers: headersOf(incoming), signal }),
  };
}

/** Caches the last URL: most requests have the same target, and comparing is faster than parsing. */
function isUrl(text: string): boolean {
  if (text === lastUrl) return true;
  if (!URL.canParse(text)) return false;
  lastUrl = text;
  return true;
}

let lastUrl = '';

function hostsIn(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if ((name.length === 4 || name.length === 10) && /^(host|:authority)$/i.test(name)) count++;
  }
  return count;
}

function headersOf(incoming: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (name.startsWith(':') || value === undefined) continue;
    for (const each of [value].flat()) headers.append(name, each);
  }
  return headers;
}

/** Leaves unread data to the sender. */
function readBody(
  incoming: IncomingMessage & { readonly body?: unknown },
  take: (piece: Uint8Array) => boolean,
): Promise<void> {
  if (incoming.body !== undefined) {
    take(new TextEncoder().encode(JSON.stringify(incoming.body)));
    return Promise.resolve();
  }
  return new Promise((resolve, reject) => {
    const stop = () => {
      incoming.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
    };
    const onData = (piece: Uint8Array) => {
      if (take(piece)) return;
      stop();
      resolve();
    };
    const onEnd = () => {
      stop();
      resolve();
    };
    const onClose = () => {
      stop();
      reject(new Error('The request did not arrive whole'));
    };
    if (incoming.readableEnded) onEnd();
    else if (incoming.destroyed) onClose();
    else incoming.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
  });
}
