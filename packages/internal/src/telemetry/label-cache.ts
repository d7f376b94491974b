import type { Attributes } from '@opentelemetry/api';

interface Target {
  readonly key: string;
  readonly name: string;
}

/** Labels of requests, made once per connection, method and name: they cost more than the rest of a measurement. */
export class LabelCache {
  readonly #known = new WeakMap<Attributes, Map<string, Map<string | undefined, Attributes>>>();

  /** @param method - Bounded, as the name. */
  of(peer: Attributes, method: string, target: Target | undefined): Attributes {
    let ofPeer = this.#known.get(peer);
    if (ofPeer === undefined) {
      ofPeer = new Map();
      this.#known.set(peer, ofPeer);
    }
    let ofMethod = ofPeer.get(method);
    if (ofMethod === undefined) {
      ofMethod = new Map();
      ofPeer.set(method, ofMethod);
    }
    const found = ofMethod.get(target?.name);
    if (found !== undefined) return found;
    const made = labelsOf(peer, method, target);
    ofMethod.set(target?.name, made);
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
