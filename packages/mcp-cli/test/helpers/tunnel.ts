import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** Another address of a web server, which can become unreachable: an SSH tunnel, or a machine that sleeps. */
export interface Tunnel extends AsyncDisposable {
  readonly origin: string;
  /** Breaks every connection, and takes no other. */
  cut(): Promise<void>;
  /** Is there again, at the same address. */
  mend(): Promise<void>;
  /** Keeps every connection, and takes others, and lets nothing through. */
  freeze(): void;
  /** Leads somewhere else from now on. */
  lead(origin: string): void;
}

export async function openTunnel(target: string): Promise<Tunnel> {
  let to = target;
  let isFrozen = false;
  const sockets = new Set<Socket>();
  const server = createServer((asked, answer) => {
    if (isFrozen) return;
    const { host } = new URL(to);
    const headers = { ...asked.headers, host, ...(asked.headers.origin !== undefined && { origin: to }) };
    const sent = request(`${to}${asked.url}`, { method: asked.method, headers, agent: false }, (answered) => {
      answer.writeHead(answered.statusCode ?? 500, answered.headers);
      answer.flushHeaders();
      answered.on('data', (chunk) => {
        if (!isFrozen) answer.write(chunk);
      });
      answered.on('end', () => answer.end());
      answered.on('error', () => answer.destroy());
    });
    sent.on('error', () => answer.destroy());
    answer.on('close', () => sent.destroy());
    asked.pipe(sent);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  const cut = async () => {
    const closed = server.listening ? once(server, 'close') : undefined;
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    cut,
    mend: async () => {
      isFrozen = false;
      if (!server.listening) await listen(port);
    },
    freeze: () => {
      isFrozen = true;
    },
    lead: (origin) => {
      to = origin;
    },
    [Symbol.asyncDispose]: cut,
  };
}
