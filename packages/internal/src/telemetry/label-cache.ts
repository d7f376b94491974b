import type { Attributes } from '@opentelemetry/api';

interface Target {
  readonly key: string;
  readonly name: string;
}

/** Labels of requests, made once per connection, method and name: they cost more than the rest of a measurement. */
export class LabelCache {
  readonly #known = new WeakMap<Attributes, Map<string, Attributes>>();

  /** @param method - Bounded, as the name. */
  of(peer: Attributes, method: string, target: Target | undefined): Attributes {
    let ofPeer = this.#known.get(peer);
    if (ofPeer === undefined) {
      ofPeer = new Map();
      this.#known.set(peer, ofPeer);
    }
    const key = target === undefined ? method : `${method} ${target.name}`;
    const found = ofPeer.get(key);
    if (found !== undefined) return found;
    const made = labelsOf(peer, method, target);
    ofPeer.set(key, made);
    return made;
  }
}

function labelsOf(peer: Attributes, method: string, target: Target | undefined): Attributes {
  return {
    ...peer,
    'mcp.method.name': method,
    ...(target && { [target.key]: target.name }),
    ...(method === 'tools/call' && { 'gen_ai.operation.name': 'execute_tool' }),
  };
}
