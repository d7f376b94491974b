import { NodeProcess } from './node-process.js';

/**
 * The node that runs a server, once all `nodes` name the same one of them. Nodes that rejoin at the same moment may name
 * another one before that: the holder from before, until the bus delivers the claim of the next.
 */
export function agreedHolder(nodes: readonly NodeProcess[], server: string): Promise<NodeProcess> {
  return NodeProcess.until(nodes, `one of them that all name as the holder of ${server}`, () => {
    const named = nodes.map((node) => node.all('singleton-state', { server }).at(-1)?.detail.holder);
    return nodes.find(({ name }) => named.every((holder) => holder === name));
  });
}
