import type { FleetBus } from '../bus.js';
import { trySend } from '../try-send.js';
import { encodeDefinitions, readDefinitions } from './definition.js';
import type { DefinitionStore } from './definition-store.js';

/** Longest announcement in bytes: about 60 tools. */
const MAX_BYTES = 64 * 1024;

const subjectOf = (node: string) => `defined.${node}`;

/**
 * Sends definitions to all nodes before a record names them, so that most nodes need not fetch them. May be lost; lists
 * over the limit are not sent.
 */
export function announceDefinitions(bus: FleetBus, node: string, texts: readonly string[]): void {
  if (texts.length === 0 || texts.reduce((length, text) => length + text.length, 0) > MAX_BYTES) return;
  const data = encodeDefinitions(texts);
  if (data.byteLength > Math.min(MAX_BYTES, bus.maxPayloadBytes)) return;
  trySend(() => bus.publish(subjectOf(node), data)); // the write of the record reports the same failure
}

export function receiveDefinitions(bus: FleetBus, node: string, store: DefinitionStore): Disposable {
  return bus.subscribe(subjectOf('*'), ({ subject, data }) => {
    if (subject === subjectOf(node) || data.byteLength > MAX_BYTES) return;
    for (const text of readDefinitions(data)) {
      if (store.announce(text) === undefined) return; // one invalid definition discredits the rest
    }
  });
}
