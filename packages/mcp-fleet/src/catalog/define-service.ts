import { readReplyTo } from '../bus/fleet-subjects.js';
import type { FleetBus } from '../bus.js';
import { trySend } from '../try-send.js';
import { type Definition, encodeDefinitions, utf8Length } from './definition.js';

/** Definitions per reply in bytes, or fewer on a bus with small messages. */
const ANSWER_BYTES = 256 * 1024;
const ROOM_BYTES = 1024;
const MAX_ASKED = 10_000;

interface DefineServiceOptions {
  readonly bus: FleetBus;
  readonly node: string;
  find(digest: string): Definition | undefined;
}

/** Longest definition that the bus can carry, in bytes. */
export function maxDefinitionBytes(bus: FleetBus): number {
  return Math.min(ANSWER_BYTES, bus.maxPayloadBytes - ROOM_BYTES);
}

/**
 * Replies to requests for definitions by digest: as many lines as fit into one message, in the requested order. The
 * client requests the rest again. An empty reply means that none exists.
 */
export function serveDefinitions({ bus, node, find }: DefineServiceOptions): Disposable {
  return bus.subscribe(`define.${node}.*`, ({ subject, data, replyTo }) => {
    const requester = subject.slice(subject.lastIndexOf('.') + 1);
    const route = { kind: 'define', requester, responder: node } as const;
    if (replyTo === undefined || readReplyTo(replyTo, route) === undefined) return;
    trySend(() => bus.publish(replyTo, encodeDefinitions(answer(readDigests(data)))));
  });

  function answer(digests: readonly string[]): readonly string[] {
    const maxBytes = maxDefinitionBytes(bus);
    const lines: string[] = [];
    let bytes = 0;
    for (const digest of digests) {
      const text = find(digest)?.text;
      if (text === undefined) continue;
      bytes += utf8Length(text) + 1;
      if (bytes > maxBytes && lines.length > 0) break;
      lines.push(text);
    }
    return lines;
  }
}

export function encodeDigests(digests: readonly string[]): Uint8Array {
  return new TextEncoder().encode(digests.join('\n'));
}

function readDigests(data: Uint8Array): readonly string[] {
  return new TextDecoder().decode(data).split('\n', MAX_ASKED);
}
