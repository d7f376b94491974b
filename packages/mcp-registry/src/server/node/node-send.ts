import type { ServerResponse } from 'node:http';
import type { HttpAnswer } from '../http-answers.js';
import { PIECE_BYTES } from '../queue-bounds.js';

/** Resolves when the answer has been sent, or its client is gone. */
export async function send(answer: HttpAnswer, outgoing: ServerResponse, maxStallMs: number): Promise<void> {
  const { body } = answer;
  if (body instanceof ReadableStream) return sendStream(answer, body, { outgoing, maxStallMs });
  const isTaken = !outgoing.destroyed && sendWhole(answer, body ?? '', { outgoing, maxStallMs });
  answer.onEnd?.(typeof isTaken === 'boolean' ? isTaken : await isTaken);
}

interface Way {
  readonly outgoing: ServerResponse;
  readonly maxStallMs: number;
}

/** In one write with its headers, unless it is large. Gives whether the client has taken it, if that is known at once. */
function sendWhole({ status, headers }: HttpAnswer, body: string, way: Way): boolean | Promise<boolean> {
  const { outgoing } = way;
  const length = Buffer.byteLength(body);
  const hasBody = status !== 204 && status !== 304;
  outgoing.writeHead(status, hasBody ? { ...headers, 'content-length': length } : headers);
  if (length > PIECE_BYTES) return sendPieces(Buffer.from(body), way);
  outgoing.end(body);
  // What the system has taken already needs nobody to wait for it.
  return outgoing.socket?.writableLength === 0 || finished(way);
}

async function sendPieces(bytes: Buffer, way: Way): Promise<boolean> {
  const { outgoing, maxStallMs } = way;
  for (let at = 0; at < bytes.byteLength && !outgoing.destroyed; at += PIECE_BYTES) {
    if (!outgoing.write(bytes.subarray(at, at + PIECE_BYTES))) await taken('drain', outgoing, maxStallMs);
  }
  outgoing.end();
  return finished(way);
}

async function finished({ outgoing, maxStallMs }: Way): Promise<boolean> {
  if (!outgoing.writableFinished && !outgoing.destroyed) await taken('finish', outgoing, maxStallMs);
  return outgoing.writableFinished;
}

async function sendStream(
  { status, headers }: HttpAnswer,
  body: ReadableStream<Uint8Array>,
  { outgoing, maxStallMs }: Way,
): Promise<void> {
  // Nobody is there any more to be told, and what makes the answer must learn of it.
  if (outgoing.destroyed) return body.cancel();
  outgoing.writeHead(status, headers);
  const reader = body.getReader();
  outgoing.once('close', () => void reader.cancel(new Error('The client is gone')).catch(() => undefined));
  // Whoever waits for a stream is told at once that there is one; what is there already goes along with that.
  const soon = setImmediate(() => outgoing.flushHeaders());
  let next = reader.read();
  for (;;) {
    const { done, value } = await next;
    clearImmediate(soon);
    if (done || outgoing.destroyed) break;
    next = reader.read();
    next.catch(() => undefined); // waited for in the next round
    if (!outgoing.write(value)) await taken('drain', outgoing, maxStallMs);
  }
  if (outgoing.destroyed) return;
  outgoing.end();
  await finished({ outgoing, maxStallMs });
}

/** Waits until the client has taken what was written, or is gone; it is sent away if it takes nothing for too long. */
function taken(event: 'drain' | 'finish', outgoing: ServerResponse, maxStallMs: number): Promise<void> {
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
