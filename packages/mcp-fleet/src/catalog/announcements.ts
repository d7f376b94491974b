import type { FleetBus } from '../bus.js';
import { trySend } from '../try-send.js';
import { encodeDefinitions, readDefinitions } from './definition-lines.js';
import type { DefinitionStore } from './definition-store.js';

/** Longest announcement, in bytes: some 60 tools. */
const MAX_BYTES = 64 * 1024;

const subjectOf = (node: string) => `defined.${node}`;

/**
 * Sends definitions to all nodes, before a record names them: who follows it need not ask. Nobody relies on it. It may
 * be lost, and definitions that are long together are not sent at all.
 */
export function announceDefinitions(bus: FleetBus, node: string, texts: readonly string[]): void {
  if (texts.length === 0 || texts.reduce((length, text) => length + text.length, 0) > MAX_BYTES) return;
  const data = encodeDefinitions(texts);
  if (data.byteLength > Math.min(MAX_BYTES, bus.maxPayloadBytes)) return;
  trySend(() => bus.publish(subjectOf(node), data)); // what keeps it from being sent, the record finds out, too
}

/** Takes in what other nodes announce. */
export function hearDefinitions(bus: FleetBus, node: string, store: DefinitionStore): Disposable {
  return bus.subscribe(subjectOf('*'), ({ subject, data }) => {
    if (subject === subjectOf(node) || data.byteLength > MAX_BYTES) return;
    for (const text of readDefinitions(data)) {
      if (store.announce(text) === undefined) return; // who sends such a thing has nothing to say
    }
  });
}
