import { randomUUID } from 'node:crypto';
import { type ClientManager, isManagerError } from '@x/mcp-client-manager';

/**
 * Reserves an item at the server "stock": the part of a host that is worth testing. When the server dies over the
 * call, nobody knows whether it was carried out. Asking again could reserve twice, so the server is asked first.
 *
 * @returns The text that the server answered with.
 */
export async function reserve(manager: ClientManager, item: string): Promise<string> {
  const order = randomUUID();
  const ask = async (tool: string, args: Record<string, string>): Promise<string> => {
    const { content } = await manager.callTool('stock', tool, args, { timeoutMs: 30_000 });
    const [first] = content;
    return first?.type === 'text' ? String(first.text) : '';
  };
  try {
    return await ask('reserve', { item, order });
  } catch (error) {
    if (!isManagerError(error) || error.code !== 'outcome-unknown') throw error;
    const known = await ask('find_reservation', { order }); // the call waits until the server has come back
    return known === '' ? ask('reserve', { item, order }) : known;
  }
}
