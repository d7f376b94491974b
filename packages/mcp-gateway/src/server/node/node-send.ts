import type { ServerResponse } from 'node:http';
import type { HttpResponse } from '../http-messages.js';
import { PIECE_BYTES } from '../message-sizes.js';
import { lengthOf, turnOf } from '../responses/bounded-body.js';

/** Resolves when the response has been sent, or its client is gone. */
export async function send(answer: HttpResponse, outgoing: ServerResponse, maxStallMs: number): Promise<void> {
  const { body, watch } = answer;
  if (body instanceof ReadableStream) return sendStream(answer, body, { outgoing, maxStallMs });
  if (watch?.waiting?.isClosed) outgoing.destroy(); // dropped before it was sent
  if (watch !== undefined) watch.abandon = () => outgoing.destroy();
  const isTaken = !outgoing.destroyed && sendWhole(answer, body ?? '', { outgoing, maxStallMs });
  watch?.onEnd(typeof isTaken === 'boolean' ? isTaken : await isTaken);
}

interface Way {
  readonly outgoing: ServerResponse;
  readonly maxStallMs: number;
}

/** Writes a small body together with the headers. Returns whether the client received it, if known at once. */
function sendWhole(answer: HttpResponse, body: string | readonly Uint8Array[], way: Way): boolean | Promise<boolean> {
  const { status, headers, watch } = answer;
  const { outgoing } = way;
  const length = typeof body === 'string' ? Buffer.byteLength(body) : lengthOf(body);
  const hasBody = status !== 204 && status !== 304;
  outgoing.writeHead(status, hasBody ? { ...headers, 'content-length': length } : headers);
  if (typeof body !== 'string') return sendPieces(answer, body, way);
  if (body.length > PIECE_BYTES) return sendPieces(answer, slicesOf(body), way);
  outgoing.end(body);
  // The system has accepted all data.
  if (outgoing.socket?.writableLength === 0) return true;
  if (watch?.waiting?.tryAdd(length) === false) outgoing.destroy();
  return finished(way);
}

async function sendPieces({ watch }: HttpResponse, pieces: Iterable<string | Uint8Array>, way: Way): Promise<boolean> {
  const { outgoing, maxStallMs } = way;
  for (const piece of pieces) {
    if (outgoing.destroyed) break;
    if (!outgoing.write(piece)) await waitFor('drain', outgoing, maxStallMs);
    watch?.waiting?.recordProgress();
    const turn = watch && turnOf(watch);
    if (turn !== undefined) await turn;
  }
  outgoing.end();
  return finished(way);
}

/** Encodes the text while the client reads. */
function* slicesOf(text: string): Generator<string, void, undefined> {
  for (let at = 0; at < text.length; ) {
    const end = at + PIECE_BYTES;
    // Keeps surrogate pairs together.
    const next = isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end;
    yield text.slice(at, next);
    at = next;
  }
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00;
}

async function finished({ outgoing, maxStallMs }: Way): Promise<boolean> {
  if (!outgoing.writableFinished && !outgoing.destroyed) await waitFor('finish', outgoing, maxStallMs);
  return outgoing.writableFinished;
}

async function sendStream(
  { status, headers }: HttpResponse,
  body: ReadableStream<Uint8Array>,
  { outgoing, maxStallMs }: Way,
): Promise<void> {
  // The client is gone, so the source must end.
  if (outgoing.destroyed) return body.cancel();
  outgoing.writeHead(status, headers);
  const reader = body.getReader();
  outgoing.once('close', () => void reader.cancel(new Error('The client is gone')).catch(() => undefined));
  let isComplete = false;
  reader.closed.then(
    () => (isComplete = true),
    () => outgoing.destroy(), // dropped
  );
  // Sends the headers at once, together with the available data.
  const soon = setImmediate(() => outgoing.flushHeaders());
  for (;;) {
    const { done, value } = await reader.read();
    clearImmediate(soon);
    if (done || outgoing.destroyed) break;
    // Sends the last piece and the end in one packet.
    await new Promise<void>((resolve) => process.nextTick(resolve));
    if (isComplete) {
      outgoing.end(value);
      break;
    }
    // Reads on only when the system has accepted this piece: until then it counts as pending.
    await written(value, { outgoing, maxStallMs });
  }
  if (outgoing.destroyed) return;
  if (!outgoing.writableEnded) outgoing.end();
  await finished({ outgoing, maxStallMs });
}

/** Waits until the system has accepted the piece, or the client is gone. */
function written(piece: Uint8Array, { outgoing, maxStallMs }: Way): Promise<void> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    const settle = () => {
      clearTimeout(timer);
      outgoing.off('close', settle);
      resolve();
    };
    outgoing.on('close', settle);
    if (!outgoing.write(piece, settle)) timer = setTimeout(() => outgoing.destroy(), maxStallMs);
  });
}

/** Waits until the client has read the written data, or made no progress and is disconnected. */
function waitFor(event: 'drain' | 'finish', outgoing: ServerResponse, maxStallMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => outgoing.destroy(), maxStallMs);
    const settle = () => {
      clearTimeout(timer);
      outgoing.off(event, settle).off('close', settle);
      resolve();
    };
    outgoing.on(event, settle).on('close', settle);
  });
}
