import { type ConnectionOptions, connect, type Msg, type NatsConnection } from '@nats-io/transport-node';
import type { NatsServer } from '@x/test-servers';
import { onTestFinished } from 'vitest';

/** What crosses the server, and a way to say what no node says. */
export interface WireTap {
  readonly nats: NatsConnection;
  readonly messages: readonly Msg[];
  /** The next message, or one that came already, that is as wanted. */
  message(isWanted: (message: Msg) => boolean): Promise<Msg>;
  /** The messages since the last time. */
  take(): readonly Msg[];
}

/** Before the keys of the fleet `default`, as the server has them. */
export const KEYS = '$KV.mcp-fleet_default.';
/** Before its subjects. */
export const SUBJECTS = 'mcp-fleet.default.';

/** Listens from when this has settled until the test is over. */
export async function tapWire(
  server: NatsServer,
  subjects: readonly string[],
  options: ConnectionOptions = {},
): Promise<WireTap> {
  const nats = await connect({ servers: server.url, ...options });
  onTestFinished(() => nats.close());
  const messages: Msg[] = [];
  const waiting = new Set<() => void>();
  for (const subject of subjects) {
    nats.subscribe(subject, {
      callback: (error, message) => {
        if (error !== null) return;
        messages.push(message);
        for (const wake of waiting) wake();
        waiting.clear();
      },
    });
  }
  await nats.flush();
  return {
    nats,
    messages,
    async message(isWanted) {
      for (;;) {
        const found = messages.find(isWanted);
        if (found !== undefined) return found;
        await new Promise<void>((resolve) => {
          waiting.add(resolve);
        });
      }
    },
    take: () => messages.splice(0),
  };
}
